"""The verdict is what the compiler said, in one sentence with its figures."""

from dataclasses import replace

import pytest

from tpuguru.aot.record import Failure, FailureKind, MemoryAnalysis, RunRecord, RunState
from tpuguru.artifacts.code_model import CodePath, Collectives
from tpuguru.artifacts.memory_model import Buffer, Memory
from tpuguru.artifacts.model import CompilerError, Extract, Flags, Outcome, Program, Source, Target
from tpuguru.base.units import GiB, MiB
from tpuguru.report.check.verdict import verdict_of

RECORD = RunRecord("r", RunState.SUCCEEDED, "maxtext==0.2.5", "lock")
LOGITS = Buffer(
    "fusion.1", "temporary", 6 * GiB, "bf16[3,8192,128256]", "bf16", (3, 8192, 128256), "", 6 * GiB, 0
)


def failed(kind: FailureKind, message: str = "it said so", code: str = "") -> RunRecord:
    return replace(RECORD, state=RunState.FAILED, failure=Failure(kind, message, code=code))


def extract(error: CompilerError | None = None, largest: tuple[Buffer, ...] = ()) -> Extract:
    return Extract(
        Source("dump", "", ""),
        Program("jit_train_step", "", None, "final", 8, 1, 1, 1, 1),
        Target(),
        Outcome("out-of-memory" if error else "compiled", error),
        Memory(largest=largest),
        CodePath(),
        Collectives(),
        Flags(),
    )


def error(space: str, need: int, limit: int, kernel: str = "") -> CompilerError:
    return CompilerError(
        "E1000", "CompileTimeHbmOom", "RESOURCE_EXHAUSTED", space, need, limit, need - limit, kernel, ""
    )


def test_a_fit_counts_what_is_aliased_once() -> None:
    """argument + temporary + output - alias, against the chip's HBM."""
    memory = MemoryAnalysis(argument=11 * GiB, temporary=11 * GiB, output=11 * GiB, alias=11 * GiB)
    verdict = verdict_of(replace(RECORD, memory=memory), None, 32 * GiB)
    assert verdict.outcome == "fits"
    assert verdict.sentence == "fits: 22.00 GiB per device of 32.00 GiB, headroom 10.00 GiB (31%)"
    assert verdict.headroom is not None
    assert verdict.headroom.value == 10 * GiB


def test_host_memory_is_not_counted_against_hbm() -> None:
    """The compiler's peak holds host bytes; 70B on v6e-32 fits although its peak is above the chip's HBM."""
    memory = MemoryAnalysis(
        argument=12 * GiB,
        temporary=17 * GiB,
        output=12 * GiB,
        alias=12 * GiB,
        peak=57 * GiB,
        host_temporary=45 * GiB,
    )
    assert verdict_of(replace(RECORD, memory=memory), None, 31 * GiB).outcome == "fits"


def test_out_of_hbm_says_how_much_and_what_dominates() -> None:
    """By how much, and the largest buffer."""
    found = extract(error("hbm", 33 * GiB, 31 * GiB), (LOGITS,))
    verdict = verdict_of(failed(FailureKind.HBM_OOM, code="E1000"), found, None)
    assert verdict.outcome == "does_not_fit"
    assert "2.00 GiB too much" in verdict.sentence
    assert "bf16[3,8192,128256] (6.00 GiB)" in verdict.sentence
    assert verdict.code == "E1000"
    assert verdict.exceeded_by is not None
    assert verdict.exceeded_by.value == 2 * GiB


def test_out_of_hbm_without_artifacts_is_still_a_verdict() -> None:
    """A missing dump costs the figures, not the verdict."""
    assert verdict_of(failed(FailureKind.HBM_OOM), None, None).sentence == "does not fit in HBM"


def test_out_of_vmem_names_the_kernel_and_the_limit() -> None:
    """A kernel that wants more scoped VMEM than the limit."""
    found = extract(error("vmem", int(45.54 * MiB), 32 * MiB, "splash_mha_dkv"))
    verdict = verdict_of(failed(FailureKind.VMEM_OOM), found, None)
    assert verdict.sentence == (
        "does not fit in VMEM in the kernel splash_mha_dkv: 45.54 MiB of scoped VMEM needed, the limit is 32.00 MiB"
    )


@pytest.mark.parametrize(
    ("kind", "outcome", "stage"),
    [
        (FailureKind.CONFIG_REJECTED, "rejected", "resolve"),
        (FailureKind.LOWER_FAILED, "rejected", "lower"),
        (FailureKind.FLAG_REJECTED, "rejected", "compile"),
        (FailureKind.COMPILER_ABORT, "failed", "compile"),
        (FailureKind.WORKER_LOST, "failed", "compile"),
        (FailureKind.OUT_OF_TIME, "failed", "compile"),
    ],
)
def test_every_failure_has_an_outcome(kind: FailureKind, outcome: str, stage: str) -> None:
    """A refusal is a verdict; a broken tool is none."""
    verdict = verdict_of(failed(kind), None, None)
    assert (verdict.outcome, verdict.stage) == (outcome, stage)
    assert "it said so" in verdict.sentence


def test_every_failure_kind_is_covered() -> None:
    """A new kind of failure cannot pass as a fit."""
    for kind in FailureKind:
        assert verdict_of(failed(kind), None, None).outcome != "fits"

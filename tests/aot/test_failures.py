"""What compilers and frameworks print, and the names it gets."""

import signal

import pytest

from tpuguru.aot.failures import death_of, failure_of
from tpuguru.aot.record import FailureKind

_HBM = (
    "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO "
    "temporaries (39.25G) exceeds available HBM (31.24G). HLO module: jit_train_step."
)
_VMEM = (
    "RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem while allocating on "
    "stack for %splash. Scoped allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M."
)


@pytest.mark.parametrize(
    ("phase", "message", "kind", "code"),
    [
        ("compile", _HBM, FailureKind.HBM_OOM, "E1000"),
        ("compile", _VMEM, FailureKind.VMEM_OOM, "E1001"),
        (
            "compile",
            "FAILED_PRECONDITION: Continuation fusion for AllGather is enabled on platform ghostlite",
            FailureKind.FLAG_REJECTED,
            "",
        ),
        (
            "compile",
            "INVALID_ARGUMENT: No such compile option: 'xla_tpu_no_such'",
            FailureKind.FLAG_REJECTED,
            "",
        ),
        ("compile", "Duplicate flag detected: '--xla_a'", FailureKind.FLAG_REJECTED, ""),
        ("compile", "INTERNAL: something else", FailureKind.COMPILE_FAILED, ""),
        ("compile", "RESOURCE_EXHAUSTED: No space left on device", FailureKind.DISK_FULL, ""),
        ("trace", "Batch dimension should be shardable", FailureKind.LOWER_FAILED, ""),
        ("lower", "not implemented", FailureKind.LOWER_FAILED, ""),
        ("mesh", "Unspecified value unable to be determined", FailureKind.CONFIG_REJECTED, ""),
        ("resolve", f"'x' not in y; as in «{_HBM}»", FailureKind.CONFIG_REJECTED, "E1000"),
        ("import", "No module named 'maxtext'", FailureKind.TOOLCHAIN_BROKEN, ""),
    ],
)
def test_a_reported_failure_is_named_by_phase_and_words(
    phase: str, message: str, kind: FailureKind, code: str
) -> None:
    """The compiler's own words decide, then the phase; a rejected configuration may quote any of them."""
    failure = failure_of({"phase": phase, "type": "Error", "message": message, "raised_in": "a.py:1"})
    assert (failure.kind, failure.code, failure.message) == (kind, code, message)


@pytest.mark.parametrize(
    ("code", "log", "kind", "said"),
    [
        (1, "ERROR: Unknown command line flag 'xla_x'\n", FailureKind.FLAG_REJECTED, "xla_x"),
        (
            1,
            "F1201 parse_flags.cc:2] Unknown flag in XLA_FLAGS: --xla_y\n",
            FailureKind.FLAG_REJECTED,
            "--xla_y",
        ),
        (1, "ERROR: Illegal value 'lots' specified for flag 'xla_z'", FailureKind.FLAG_REJECTED, "xla_z"),
        (
            -signal.SIGABRT,
            "noise\nF1201 a.cc:1] Check failed: x == y\n*** stack ***\n",
            FailureKind.COMPILER_ABORT,
            "x == y",
        ),
        (-signal.SIGSEGV, "", FailureKind.COMPILER_ABORT, "SIGSEGV"),
        (-signal.SIGKILL, "", FailureKind.WORKER_LOST, "SIGKILL"),
        (3, "bye\n", FailureKind.WORKER_LOST, "bye"),
    ],
)
def test_a_death_is_named_by_the_last_words(code: int, log: str, kind: FailureKind, said: str) -> None:
    """A worker that dies in the compiler is explained from its log."""
    failure = death_of(code, "compile", log)
    assert failure.kind is kind
    assert said in failure.message


def test_a_death_while_importing_is_the_toolchains() -> None:
    """A Python that cannot import its framework is a broken toolchain, whatever the status."""
    assert (
        death_of(1, "load", "ModuleNotFoundError: No module named 'jax'").kind is FailureKind.TOOLCHAIN_BROKEN
    )


def test_messages_are_redacted() -> None:
    """A secret in a compiler's message does not reach the record."""
    failure = failure_of({"phase": "resolve", "message": "bad value HF_TOKEN=hf_abcdefghijklmnop"})
    assert "abcdefgh" not in failure.message

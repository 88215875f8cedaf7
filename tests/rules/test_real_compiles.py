"""Rules that compare what was said with what was compiled, on programs that the real TPU compiler built.

A bad pair sets the words of one launch beside the program of another, or is a launch that really fails to do what
it says; a good pair is the same words beside the program they lead to.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.rules.real_compiles import LAUNCHES, Compiles, said

from tpuguru.base.locations import data_directory
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Verdict
from tpuguru.facts.origin import OriginKind
from tpuguru.facts.vocabulary import vocabulary
from tpuguru.rules.catalog import Catalog, load_roots
from tpuguru.rules.engine import evaluate

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

DENSE, PLAIN, EXPERTS, TOO_LARGE = LAUNCHES.values()
FLAGS = "--xla_tpu_enable_sparse_core_collective_offload_all_reduce=true"


@dataclass(frozen=True, slots=True)
class Pair:
    """What a launch says (words, flags) and the program that stands beside it; ``more`` sets single facts."""

    words: str
    program: str
    flags: str = ""
    more: tuple[tuple[str, float | tuple[str, ...]], ...] = ()


BAD = {
    "splash-asked-plain-attention-compiled": Pair(DENSE, "plain"),
    "quantised-but-no-low-precision-dot": Pair(
        f"{DENSE} quantization=int8 use_qwix_quantization=True", "dense"
    ),
    "experts-compiled-in-bf16": Pair(EXPERTS, "experts"),
    "expert-parallelism-without-all-to-all": Pair(EXPERTS, "dense"),
    "offload-asked-nothing-in-host-memory": Pair(EXPERTS, "dense"),
    "offload-annotates-fewer-tensors": Pair(f"{EXPERTS} kv_proj=offload", "experts"),
    "offloaded-stack-copied-back": Pair(TOO_LARGE, "too-large"),
    "donated-state-not-reused": Pair(DENSE, "wasteful_step"),
    "collective-over-an-unsharded-axis": Pair(DENSE, "plain"),
    "large-parameter-replicated": Pair(DENSE, "plain"),
    "remat-asked-nothing-recomputed": Pair(DENSE, "sliced_step"),
    "context-kept-attention-recomputed": Pair(
        DENSE.replace("remat_policy=full", "remat_policy=custom context=device"), "dense"
    ),
    "another-expert-path-compiled": Pair(EXPERTS.replace("megablox=True", "use_tokamax_gmm=True"), "experts"),
    "float32-weights-compiled-narrower": Pair(DENSE, "plain"),
    "splash-block-not-in-force": Pair(f"{DENSE} sa_block_q=256", "dense"),
    "does-not-fit": Pair(TOO_LARGE, "too-large"),
    "fits-without-headroom": Pair(DENSE, "dense", more=(("compiled.memory.headroom", 2**20),)),
    "layout-pads-a-large-buffer": Pair(DENSE, "wasteful_step"),
    "sparsecore-offload-asked-none-compiled": Pair(DENSE, "dense", FLAGS),
    "compiled-for-fewer-devices": Pair(DENSE.replace("v6e-4", "v6e-8"), "dense"),
    "a-fallback-was-taken": Pair(DENSE, "plain"),
    "logits-fill-the-peak": Pair(TOO_LARGE, "too-large"),
    "weights-gathered-between-slices": Pair(DENSE, "sliced_step"),
    "collectives-cannot-overlap": Pair(
        DENSE,
        "dense",
        more=(("compiled.collectives.bytes", 2**30), ("compiled.collectives.synchronous_bytes", 2**30)),
    ),
    "flag-unknown-to-the-compiler": Pair(DENSE, "dense", more=(("compiled.flags.absent", ("xla_gone",)),)),
    "flag-overruled-by-the-compiler": Pair(
        DENSE, "dense", more=(("compiled.flags.different", ("xla_tpu_x: asked 1, in force 0",)),)
    ),
}
"""For each rule, words and program that do not belong together (``more`` only where no small program shows it)."""

GOOD = dict.fromkeys(BAD, Pair(DENSE, "dense")) | {
    "quantised-but-no-low-precision-dot": Pair(EXPERTS, "experts"),
    "expert-parallelism-without-all-to-all": Pair(EXPERTS, "experts"),
    "offload-asked-nothing-in-host-memory": Pair(EXPERTS, "experts"),
    "offload-annotates-fewer-tensors": Pair(EXPERTS, "experts"),
    "another-expert-path-compiled": Pair(EXPERTS, "experts"),
    "context-kept-attention-recomputed": Pair(
        DENSE.replace("remat_policy=full", "remat_policy=none"), "dense"
    ),
}
"""The same rules beside the program that the words lead to."""


@pytest.fixture(scope="session")
def compiles(tmp_path_factory: pytest.TempPathFactory) -> Compiles:
    """One store for the whole test run, also when workers share it; $TPUGURU_TEST_COMPILES keeps it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    return Compiles(Path(os.environ.get("TPUGURU_TEST_COMPILES", shared / "compiles-of-rules")))


@pytest.fixture(scope="module")
def rules() -> Catalog:
    """The MaxText rules."""
    return load_roots([("shipped", data_directory("rules") / "maxtext")], vocabulary())


def verdict(name: str, pair: Pair, compiles: Compiles, rules: Catalog) -> Verdict:
    """Judge by one rule what was said beside what was compiled."""
    facts = Facts()
    facts.update(said(pair.words, pair.flags))
    facts.update(compiles.facts(pair.program))
    for fact, value in pair.more:
        facts.set(fact, value, OriginKind.COMPILER)
    return evaluate(rules, facts, [name]).outcomes[0].verdict


def test_every_rule_of_its_kind_is_here(rules: Catalog) -> None:
    """A new rule that reads the compiled program needs a pair that was compiled."""
    assert {rule.name for rule in rules.rules if rule.id.startswith("R-C")} == set(BAD) == set(GOOD)


@pytest.mark.parametrize("name", BAD)
def test_a_program_that_is_not_what_was_said_is_found(name: str, compiles: Compiles, rules: Catalog) -> None:
    """The rule fires on what the compiler's own artifacts say."""
    assert verdict(name, BAD[name], compiles, rules) is Verdict.APPLIES


@pytest.mark.parametrize("name", GOOD)
def test_a_program_that_is_what_was_said_is_left_alone(name: str, compiles: Compiles, rules: Catalog) -> None:
    """The rule is silent, and can tell, where words and program agree."""
    assert verdict(name, GOOD[name], compiles, rules) is Verdict.NOT_APPLICABLE


def test_a_sound_launch_gets_no_finding_of_its_program(
    compiles: Compiles, rules: Catalog, tmp_path: Path
) -> None:
    """All rules over the words and the program of the sound launch: nothing above info."""
    assert tmp_path.is_dir()
    facts = Facts()
    facts.update(said(DENSE))
    facts.update(compiles.facts("dense"))
    loud = [one.name for one in evaluate(rules, facts).findings if one.severity.value != "info"]
    assert loud == []

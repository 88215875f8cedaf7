"""Rules on random launches: opposite pairs never fire together, and fixes are judged on top of each other."""

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.frameworks.relax.scripts import launch_of, model_flags, with_option

from tpuguru.facts.finding import Verdict
from tpuguru.frameworks.relax.facts import derive
from tpuguru.frameworks.relax.plan import edited, peak_of
from tpuguru.hardware.chips import chip
from tpuguru.launch.model import Launch
from tpuguru.memory.fit import FITS_BELOW
from tpuguru.report.doctor.edits import edits_of
from tpuguru.report.doctor.plan import plan
from tpuguru.report.lint.judge import judge
from tpuguru.rules.catalog import Catalog, load_catalog
from tpuguru.rules.engine import evaluate
from tpuguru.rules.model import Rule

OPPOSITES = [
    ("cpu-offload-not-needed", "offload-required"),
    ("cpu-offload-not-needed", "cpu-offload-without-overlap"),
    ("full-recompute-not-needed", "peak-near-capacity"),
    ("token-budget-far-below-memory", "logits-dominate"),
    ("token-budget-far-below-memory", "peak-near-capacity"),
    ("rollout-engine-too-large", "memory-fraction-cannot-hold-weights"),
    ("tensor-parallel-larger-than-needed", "logits-dominate"),
    ("memory-fraction-too-high", "memory-fraction-cannot-hold-weights"),
    ("sequence-parallel-missing", "sequence-parallel-off-at-pressure"),
    ("peak-near-capacity", "peak-over-capacity"),
    ("peak-over-capacity", "offload-required"),
]
MODELS = ("qwen3-4B", "qwen3-8B", "qwen3-30B-A3B", "qwen35-9B", "qwen35-35B-A3B")
SWITCHES = (
    "--sequence-parallel",
    "--optimizer-cpu-offload",
    "--use-precision-aware-optimizer",
    "--overlap-cpu-optimizer-d2h-h2d",
    "--use-dynamic-batch-size",
    "--use-kl-loss",
    "--partial-rollout",
    "--balance-data",
    "--sglang-enable-dp-attention",
    "--accumulate-allreduce-grads-in-fp32",
)


@cache
def relax_rules() -> tuple[Rule, ...]:
    """Return the rules that are about Relax."""
    return tuple(rule for rule in load_catalog().rules if "relax" in rule.applies_to)


@cache
def model(name: str) -> str:
    """Return a model's flags."""
    return model_flags(name)


@st.composite
def random_launches(draw: st.DrawFn) -> tuple[Launch, str]:
    """Return a launch of random sizes, and the GPU it is judged on."""
    gpus = draw(st.sampled_from([2, 4, 8, 16, 32]))
    powers = st.sampled_from([1, 1, 2, 2, 4, 8])
    mode, resource = draw(
        st.sampled_from(
            [
                ("--colocate", f'{{"actor": [1, {gpus}], "rollout": [1, {gpus}]}}'),
                ("--fully-async --max-staleness 1", f'{{"actor": [1, {gpus}], "rollout": [1, 4]}}'),
            ]
        )
    )
    flags = [
        f"--resource '{resource}' {mode}",
        f"--tensor-model-parallel-size {draw(powers)} --pipeline-model-parallel-size {draw(powers)}",
        f"--context-parallel-size {draw(st.sampled_from([1, 1, 2]))} --calculate-per-token-loss",
        f"--expert-model-parallel-size {draw(powers)} --expert-tensor-parallel-size 1",
        f"--max-tokens-per-gpu {draw(st.sampled_from([1024, 4096, 8192, 20480, 65536]))}",
        f"--rollout-max-response-len {draw(st.sampled_from([1024, 8192, 32768]))}",
        f"--rollout-batch-size {draw(st.sampled_from([16, 64]))} --n-samples-per-prompt 8",
        f"--global-batch-size {draw(st.sampled_from([64, 128, 512]))}",
        f"--rollout-num-gpus-per-engine {draw(powers)}",
        f"--sglang-mem-fraction-static {draw(st.sampled_from([0.2, 0.5, 0.7, 0.9]))}",
        draw(st.sampled_from(["", "--recompute-granularity full", "--recompute-granularity selective"])),
        *draw(st.lists(st.sampled_from(SWITCHES), unique=True)),
        model(draw(st.sampled_from(MODELS))),
    ]
    return launch_of(" ".join(flags)), draw(st.sampled_from(["h20", "h100", "h200", "a100-80g", "b200"]))


def _applying(catalog: Catalog, launch: Launch) -> set[str]:
    names = [rule.name for rule in relax_rules()]
    outcomes = evaluate(catalog, derive(launch), names).outcomes
    return {outcome.rule.name for outcome in outcomes if outcome.verdict is Verdict.APPLIES}


def test_the_opposites_are_declared() -> None:
    """Each pair of the study stands in one of the two rule files, so that everybody can see it."""
    catalog = load_catalog()
    for one, other in OPPOSITES:
        assert other in catalog.rule(one).never_with or one in catalog.rule(other).never_with


@settings(max_examples=80, deadline=None)
@given(random_launches())
def test_opposite_rules_never_fire_together(case: tuple[Launch, str]) -> None:
    """Whatever the sizes and the GPU, no rule asks for what another one warns of."""
    launch, gpu = case
    applying = _applying(load_catalog(), with_option(launch, "gpu", gpu))
    pairs = [(rule.name, other) for rule in relax_rules() for other in rule.never_with]
    assert not [pair for pair in pairs if set(pair) <= applying]


@settings(max_examples=40, deadline=None)
@given(random_launches())
def test_the_accepted_fixes_fit_together(case: tuple[Launch, str]) -> None:
    """The budget after the last fix is that of a launch with exactly these changes, and it still fits."""
    launch, gpu = case
    catalog, device = load_catalog(), chip(gpu).hbm_per_device
    named = with_option(launch, "gpu", gpu)
    judged = judge(named, derive(named), catalog).judged
    steps = plan(named, judged, catalog, device)
    numbered = sorted((step.number, name) for name, step in steps.items() if step.number)
    assert [number for number, _ in numbered] == list(range(1, len(numbered) + 1))
    fixes = {one.finding.name: one.finding.fix for one in judged}
    after = named
    for _, name in numbered:
        after = edited(after, edits_of(fixes[name]))
    before, peak = peak_of(named), peak_of(after)
    if before is None or peak is None:
        return
    assert peak <= max(before, FITS_BELOW * device)
    if numbered:
        assert f"{peak / 2**30:.1f} of {device / 2**30:.1f} GiB" in steps[numbered[-1][1]].text

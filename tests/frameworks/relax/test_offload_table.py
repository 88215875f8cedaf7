"""The worked table of Qwen3.5-35B-A3B on H20 (reference part D.9): is offloading the optimizer required?"""

import pytest
from tests.frameworks.relax.scripts import launch_of, model_flags, number, value, with_option

from tpuguru.facts.factset import Facts
from tpuguru.frameworks.relax.facts import derive
from tpuguru.rules.catalog import load_catalog
from tpuguru.rules.engine import evaluate

MODEL = model_flags("qwen35-35B-A3B")
OFFLOAD = "--optimizer-cpu-offload --overlap-cpu-optimizer-d2h-h2d --use-precision-aware-optimizer"
OFFLOAD_RULES = ("cpu-offload-not-needed", "offload-required")


def _facts(gpus: int, tensor: int, pipeline: int, expert: int, optimizer: str, gpu: str = "") -> Facts:
    flags = (
        f"""--resource '{{"actor": [1, {gpus}], "rollout": [1, {gpus}]}}' --colocate --sequence-parallel """
        f"--tensor-model-parallel-size {tensor} --pipeline-model-parallel-size {pipeline} "
        f"--expert-model-parallel-size {expert} --expert-tensor-parallel-size 1 "
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1 "
        "--use-dynamic-batch-size --max-tokens-per-gpu 10240 --rollout-max-response-len 8192 "
        f"--global-batch-size 128 --rollout-batch-size 16 --n-samples-per-prompt 8 {optimizer} {MODEL}"
    )
    launch = launch_of(flags, f"run-qwen35-35B-A3B-{gpus}xgpu.sh")
    return derive(with_option(launch, "gpu", gpu) if gpu else launch)


def _offload_findings(facts: Facts) -> set[str]:
    found = evaluate(load_catalog(), facts, OFFLOAD_RULES).findings
    return {finding.name for finding in found}


@pytest.mark.parametrize(
    ("gpus", "tensor", "pipeline", "expert", "verdict"),
    [
        (4, 4, 1, 4, "does not fit"),
        (4, 2, 1, 4, "does not fit"),
        (8, 4, 1, 8, "borderline"),
        (16, 4, 2, 8, "fits"),
        (16, 4, 1, 8, "fits"),
    ],
)
def test_verdict_without_offload(gpus: int, tensor: int, pipeline: int, expert: int, verdict: str) -> None:
    """Required on 4, borderline on 8, not needed on 16, and the rule fires only on 16."""
    facts = _facts(gpus, tensor, pipeline, expert, OFFLOAD)
    assert value(facts, "fit.without_offload") == verdict
    assert _offload_findings(facts) == ({"cpu-offload-not-needed"} if verdict == "fits" else set())


@pytest.mark.parametrize(("gpus", "tensor"), [(4, 4), (4, 2)])
def test_leaving_it_out_where_it_is_required(gpus: int, tensor: int) -> None:
    """On four GPUs without offloading the doctor asks for it."""
    facts = _facts(gpus, tensor, 1, 4, "--use-precision-aware-optimizer")
    assert _offload_findings(facts) == {"offload-required"}


@pytest.mark.parametrize(
    ("gpus", "tensor", "pipeline", "expert", "gigabytes"),
    [
        (4, 4, 1, 4, 138.6),
        (4, 2, 1, 4, 142.3),
        (8, 4, 1, 8, 71.2),
        (8, 2, 1, 8, 74.8),
        (16, 4, 2, 8, 35.6),
        (16, 4, 1, 8, 49.5),
    ],
)
def test_static_state_of_the_table(
    gpus: int, tensor: int, pipeline: int, expert: int, gigabytes: float
) -> None:
    """Weights, gradients and precision-aware optimizer on the GPU are those of the table, within 2 %."""
    facts = _facts(gpus, tensor, pipeline, expert, "--use-precision-aware-optimizer")
    assert number(facts, "memory.static") / 1e9 == pytest.approx(gigabytes, rel=0.02)


def test_the_verdict_depends_on_the_gpu() -> None:
    """The same 8-GPU layout is borderline on H20, needs no offload on H200, and cannot do without on H100."""
    verdicts = {
        gpu: (
            value(_facts(8, 4, 1, 8, OFFLOAD, gpu), "fit.without_offload"),
            _offload_findings(_facts(8, 4, 1, 8, OFFLOAD, gpu)),
        )
        for gpu in ("H20", "H200", "H100")
    }
    assert verdicts["H20"] == ("borderline", set())
    assert verdicts["H200"] == ("fits", {"cpu-offload-not-needed"})
    assert verdicts["H100"] == ("does not fit", set())


def test_eight_gpus_with_less_tensor_parallelism_keep_it() -> None:
    """TP 2 doubles the logits: the table says keep, so that nothing is said."""
    facts = _facts(8, 2, 1, 8, OFFLOAD)
    assert value(facts, "fit.without_offload") != "fits"
    assert _offload_findings(facts) == set()


def test_the_optimizer_shard_of_the_table() -> None:
    """2.17e9 parameters a rank on 16 GPUs, about 3.3 s of CPU Adam."""
    assert number(_facts(16, 4, 1, 8, OFFLOAD), "optimizer.shard") == pytest.approx(2.17e9, rel=0.01)

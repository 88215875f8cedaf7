"""The estimator against measurements that others published, and the worked cases of one model on H20s."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tpuguru.hardware.chips import chip
from tpuguru.memory.fit import Fit, fit
from tpuguru.memory.megatron import MegatronRun, Optimizer, Recompute, estimate
from tpuguru.memory.megatron.published import PublishedRow, published_rows
from tpuguru.models.known import known_models

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("row", published_rows(), ids=lambda row: row.name)
def test_the_estimate_is_within_its_promise(row: PublishedRow) -> None:
    """Dense models within 3 %, mixtures of experts within 4 % of what was measured."""
    assert abs(row.deviation()) <= row.tolerance, f"{row.deviation():+.2%}"


def test_the_docs_show_the_present_numbers() -> None:
    """The table of docs/memory-estimator.md is what the benchmark prints now."""
    script = ROOT / "benchmarks" / "megatron_memory.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# Qwen3.5-35B-A3B, 10,240 tokens: GPUs, TP, PP, EP; static 1e9 bytes plain, precision-aware, and with that offloaded;
# does it fit an H20 without offloading?
CASES = [
    (4, 4, 1, 4, 156.0, 138.6, 52.0, Fit.EXCEEDS),
    (4, 2, 1, 4, 159.6, 142.3, 55.7, Fit.EXCEEDS),
    (8, 4, 1, 8, 79.8, 71.2, 27.8, Fit.BORDERLINE),
    (8, 2, 1, 8, 83.5, 74.8, 31.5, Fit.EXCEEDS),
    (16, 4, 2, 8, 39.9, 35.6, 13.9, Fit.FITS),
    (16, 4, 1, 8, 53.8, 49.5, 27.8, Fit.FITS),
]


def run_of(gpus: int, tensor: int, pipeline: int, experts: int) -> MegatronRun:
    architecture = next(model.architecture for model in known_models() if model.name == "qwen3.5-35b-a3b")
    return MegatronRun(
        architecture=architecture,
        gpus=gpus,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        expert_parallel=experts,
        expert_tensor_parallel=1,
        sequence_parallel=True,
        microbatch_tokens=10_240,
        recompute=Recompute("full"),
        optimizer=Optimizer(precision_aware=True),
        colocated=True,
    )


@pytest.mark.parametrize(("gpus", "tensor", "pipeline", "experts", "plain", "aware", "offloaded", "_"), CASES)
def test_worked_static_state(
    gpus: int, tensor: int, pipeline: int, experts: int, plain: float, aware: float, offloaded: float, _: Fit
) -> None:
    """The worked table's static bytes come out within 1 %."""
    run = run_of(gpus, tensor, pipeline, experts)
    optimizers = {
        plain: Optimizer(),
        aware: Optimizer(precision_aware=True),
        offloaded: Optimizer(precision_aware=True, offload_fraction=1.0),
    }
    for expected, optimizer in optimizers.items():
        assert estimate(replace(run, optimizer=optimizer)).static_bytes / 1e9 == pytest.approx(
            expected, rel=0.01
        )


@pytest.mark.parametrize(
    ("gpus", "tensor", "pipeline", "experts", "verdict"), [(*c[:4], c[7]) for c in CASES]
)
def test_offloading_is_required_on_four_borderline_on_eight_needless_on_sixteen(
    gpus: int, tensor: int, pipeline: int, experts: int, verdict: Fit
) -> None:
    """The verdicts of the worked table: what happens without offloading on an H20."""
    budget = estimate(run_of(gpus, tensor, pipeline, experts))
    found = fit(budget.gpu_bytes, chip("h20").hbm_per_device)
    assert found == verdict


def test_the_verdict_depends_on_the_gpu() -> None:
    """What is borderline on an H20 does not fit an H100 and fits a B200."""
    needed = estimate(run_of(8, 4, 1, 8)).gpu_bytes
    verdicts = [fit(needed, chip(name).hbm_per_device) for name in ("h20", "h100", "b200")]
    assert verdicts == [Fit.BORDERLINE, Fit.EXCEEDS, Fit.FITS]


def test_pipeline_of_single_experts_keeps_its_offload() -> None:
    """TP2 PP4 EP1 on 8 H20 needs the offload; EP2 halves the state."""
    offloaded = Optimizer(precision_aware=True, offload_fraction=1.0)
    whole, halved = (
        estimate(replace(run_of(8, 2, 4, experts), optimizer=offloaded)).static_bytes / 1e9
        for experts in (1, 2)
    )
    assert whole == pytest.approx(50.2, rel=0.03)
    assert halved == pytest.approx(26.0, rel=0.035)

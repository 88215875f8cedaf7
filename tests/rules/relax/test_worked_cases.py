"""The worked cases of the study: which rules fire on which kind of script, and which must stay silent."""

import pytest
from tests.frameworks.relax.scripts import COLOCATE_8, TRAINING, facts_of, model_flags

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Verdict
from tpuguru.frameworks.registry import launches
from tpuguru.frameworks.relax.facts import derive
from tpuguru.launch.reader import read_paste_file
from tpuguru.rules.catalog import load_catalog
from tpuguru.rules.engine import evaluate

SCRIPTS = {
    "text/run-qwen3-4B-8xgpu.sh": (
        {"zero-weight-reference", "rollout-engine-too-large"},
        {"offload-required", "cpu-offload-not-needed", "data-not-balanced", "file-name-states-other-gpus"},
    ),
    "text/run-qwen35-35B-A3B-4xgpu.sh": (
        {"zero-weight-reference"},
        {"cpu-offload-not-needed", "offload-required", "cpu-offload-without-overlap", "peak-near-capacity"},
    ),
    "text/run-qwen35-35B-A3B-8xgpu.sh": (
        {"zero-weight-reference"},
        {"cpu-offload-not-needed", "offload-required", "experts-replicated", "rollout-engine-too-large"},
    ),
    "text/run-qwen35-35B-A3B-16xgpu.sh": (
        {"zero-weight-reference", "cpu-offload-not-needed"},
        {"offload-required", "rollout-engine-too-large", "pipeline-bubble", "experts-replicated"},
    ),
    "text/run-qwen3-30B-A3B-16xgpu-async.sh": (
        {"zero-weight-reference", "idle-roles", "fixed-microbatches", "forward-role-loads-optimizer"},
        {"staleness-zero-serialises", "data-not-balanced", "kl-without-reference-role"},
    ),
    "text/run-qwen35-397B-A17B-128xgpu.sh": (
        {"zero-weight-reference"},
        {"cuda-graphs-off-or-too-small", "rollout-engine-too-large", "all-to-all-across-nodes",
         "large-sync-buffer-on-full-gpu", "topology-cannot-start", "evaluation-too-often"},
    ),
    "text/run-qwen35-35B-A3B-16xgpu-vpp.sh": (
        {"experts-replicated", "file-name-states-other-gpus", "rollout-engine-too-large"},
        {"pipeline-bubble", "no-virtual-pipeline", "cpu-offload-not-needed", "zero-weight-reference"},
    ),
    "multimodal/run-qwen3-vl-4B-8xgpu-image.sh": (
        {"multimodal-preprocessing-serial", "memory-fraction-too-high"},
        {"slow-kernels", "inputs-without-a-limit", "file-name-states-other-modality"},
    ),
    "multimodal/run-qwen3-30B-A3B-16xgpu-video.sh": (
        {"gradient-overlap-where-it-breaks", "inputs-without-a-limit"},
        {"multimodal-preprocessing-serial", "slow-kernels", "kl-without-reference-role"},
    ),
    "sft/run-qwen35-9B-math-sft-8xgpu.sh": (
        {"sft-logits-not-chunked", "inputs-without-a-limit"},
        {"logits-dominate", "zero-weight-reference", "data-not-balanced", "long-tail-rollout"},
    ),
    "dpo/run-qwen3-0.6B-1xgpu-dpo.sh": (
        {"misspelt-flag"},
        {"zero-weight-reference", "memory-fraction-cannot-hold-weights", "rollout-engine-too-large"},
    ),
    "text/run-qwen35-35B-A3B-16xklx.sh": (
        {"budget-below-one-sample", "sequence-parallel-without-tensor"},
        {"radix-cache-off", "permute-fusion-off", "grouped-gemm-off", "cuda-graphs-off-or-too-small"},
    ),
}  # fmt: skip


def firing(facts: Facts) -> set[str]:
    """Return the rules that apply."""
    outcomes = evaluate(load_catalog(), facts).outcomes
    return {outcome.rule.name for outcome in outcomes if outcome.verdict is Verdict.APPLIES}


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_fires_and_what_stays_silent(script: str) -> None:
    """Every expected finding is there, and none of those that would be wrong."""
    expected, wrong = SCRIPTS[script]
    (launch,) = launches(read_paste_file(str(TRAINING / script)))
    found = firing(derive(launch))
    assert expected <= found
    assert not wrong & found


def test_short_samples_on_context_parallelism() -> None:
    """9B hybrid: 3,072 tokens fit a budget of 4,096, so that CP 2 is not needed."""
    flags = (
        """--resource '{"actor": [1, 4], "rollout": [1, 4]}' --hybrid --context-parallel-size 2 """
        "--calculate-per-token-loss --use-dynamic-batch-size --max-tokens-per-gpu 4096 "
        "--rollout-max-prompt-len 1024 --rollout-max-response-len 2048 --global-batch-size 64 "
        "--tensor-model-parallel-size 2 --sequence-parallel --advantage-estimator grpo "
    )
    model = model_flags("qwen35-9B")
    assert "context-parallel-not-needed" in firing(facts_of(flags + model))
    longer = flags.replace("--rollout-max-response-len 2048", "--rollout-max-response-len 30000")
    assert "context-parallel-not-needed" not in firing(facts_of(longer + model))


def test_asynchronous_images_with_too_few_rollout_gpus() -> None:
    """Two roles, a KL term and an engine of 8 on 4 GPUs: it cannot start, for two reasons."""
    flags = (
        """--resource '{"actor": [1, 4], "rollout": [1, 4]}' --fully-async --use-kl-loss --kl-loss-coef 0.0 """
        "--rollout-num-gpus-per-engine 8 --advantage-estimator grpo"
    )
    assert {"topology-cannot-start", "kl-without-reference-role"} <= firing(facts_of(flags))


def test_adapters_with_an_offloaded_optimizer() -> None:
    """LoRA: the adapters' state is nothing to offload, and the rule of whole models is silent."""
    flags = (
        f"{COLOCATE_8} --lora-rank 32 --lora-target-modules linear_qkv linear_proj --optimizer-cpu-offload "
        "--use-precision-aware-optimizer --use-dynamic-batch-size --max-tokens-per-gpu 8192 "
        "--rollout-max-response-len 8192 "
    )
    found = firing(facts_of(flags + model_flags("qwen3-4B")))
    assert "lora-with-full-model-settings" in found
    assert "cpu-offload-not-needed" not in found


def test_an_unbounded_conversation() -> None:
    """Tools without a context limit, as in the 58 GiB of logits of slime issue 1951."""
    flags = f"{COLOCATE_8} --custom-generate-function-path tools.generate --rollout-max-response-len 8192"
    assert "unbounded-context" in firing(facts_of(flags))
    assert "unbounded-context" not in firing(facts_of(f"{flags} --rollout-max-context-len 32768"))


def test_logits_of_one_long_sample() -> None:
    """205,280 tokens at TP 2 and a vocabulary of 152k: far over any GPU, whatever the budget says."""
    flags = (
        f"{COLOCATE_8} --tensor-model-parallel-size 2 --sequence-parallel --use-dynamic-batch-size "
        "--max-tokens-per-gpu 9216 --rollout-max-response-len 205280 --recompute-granularity full "
    )
    found = firing(facts_of(flags + model_flags("qwen3-4B")))
    assert {"budget-below-one-sample", "logits-dominate"} <= found
    assert found & {"peak-over-capacity", "offload-required"}

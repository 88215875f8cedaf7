"""The training job as the memory estimator takes it."""

import re
from dataclasses import replace
from typing import Literal

from tpuguru.frameworks.relax.batch import Batch, batch_of
from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.frameworks.relax.resources import COLOCATE, Resources
from tpuguru.memory.megatron.run import Loss, MegatronRun, Optimizer, Recompute
from tpuguru.models.architecture import Architecture, DenseMlp, SoftmaxAttention

_DTYPES = {"bf16": "bf16", "bfloat16": "bf16", "torch.bfloat16": "bf16"}
_LORA_DEFAULT = ("linear_qkv", "linear_proj", "linear_fc1", "linear_fc2")


def objective_of(flags: Flags) -> str:
    """Return what is trained: rl, sft, dpo or reward-model. NotKnownError."""
    kinds = {flags.text(key) for key in ("loss-type", "advantage-estimator", "sft-objective")}
    if "dpo" in kinds:
        return "dpo"
    if kinds & {"rm", "reward", "reward_model", "reward-model", "reward_modeling", "bradley-terry"}:
        return "reward-model"
    return "sft" if any(kind in ("sft", "cpt", "sft_loss") for kind in kinds) else "rl"


def uses_reference(flags: Flags) -> bool:
    """Tell whether a reference model runs: the flags decide, whatever the coefficients (Relax, actor.py)."""
    return "use-kl-loss" in flags or flags.number("kl-coef", 0) != 0


def expert_tensor_of(flags: Flags) -> int:
    """Return the experts' tensor parallelism; Megatron's default is the tensor parallelism."""
    return flags.size("expert-tensor-parallel-size", flags.size("tensor-model-parallel-size", 1))


def virtual_chunks(flags: Flags, layers: int) -> int:
    """Return the virtual pipeline chunks of a stage, 1 when the stages are not divided. NotKnownError."""
    given = flags.size("num-virtual-stages-per-pipeline-rank", 1)
    if "num-layers-per-virtual-pipeline-stage" not in flags:
        return given
    size = flags.size("num-layers-per-virtual-pipeline-stage", 1)
    return max(1, layers // (flags.size("pipeline-model-parallel-size", 1) * size))


def run_batch(flags: Flags, actor_gpus: int) -> Batch:
    """Return the batch of the actor. NotKnownError."""
    tensor, pipeline = (flags.size(key, 1) for key in _DENSE_FLAGS[:2])
    context = flags.size("context-parallel-size", 1)
    replicas = max(1, actor_gpus // (tensor * pipeline * context))
    return batch_of(flags, data_parallel=replicas, context_parallel=context)


_DENSE_FLAGS = ("tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size")


def training_run(flags: Flags, architecture: Architecture, resources: Resources) -> MegatronRun:
    """Return the actor's training job.

    Raises:
        NotKnownError: a flag that it needs is not settled.
        UsageError: the parallel sizes do not divide the GPUs.

    """
    if resources.mode == COLOCATE and resources.gpus("critic"):
        raise NotKnownError("a critic shares the actor's GPUs: its memory is not modelled")
    batch = run_batch(flags, resources.gpus("actor"))
    tensor, pipeline, context = (flags.size(key, 1) for key in _DENSE_FLAGS)
    return MegatronRun(
        architecture=architecture,
        gpus=resources.gpus("actor"),
        microbatch_tokens=batch.microbatch_tokens,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=flags.size("expert-model-parallel-size", 1),
        expert_tensor_parallel=expert_tensor_of(flags),
        virtual_pipeline=virtual_chunks(flags, len(architecture.layers)),
        layers_of_stages=_uneven_stages(flags, len(architecture.layers), pipeline),
        sequence_parallel="sequence-parallel" in flags and tensor > 1,
        microbatches=batch.microbatches() if batch.trained else 8,
        recompute=_recompute(flags),
        optimizer=_optimizer(flags),
        loss=_loss(flags),
        adapter_parameters=_adapters(flags, architecture) // tensor,
        colocated=resources.mode == COLOCATE and objective_of(flags) == "rl",
        weight_copies=_weight_copies(flags, resources),
        with_mtp=flags.integer("mtp-num-layers", 0) > 0,
    )


def with_tensor_parallel(run: MegatronRun, size: int) -> MegatronRun:
    """Return the run with another tensor parallelism, which experts without one of their own follow."""
    follows = run.expert_tensor_parallel == run.tensor_parallel != 1
    return replace(
        run,
        tensor_parallel=size,
        sequence_parallel=run.sequence_parallel and size > 1,
        expert_tensor_parallel=size if follows else run.expert_tensor_parallel,
    )


def _weight_copies(flags: Flags, resources: Resources) -> int:
    """Return the pinned weight copies of a process: the actor's, and a colocated reference's."""
    if objective_of(flags) != "rl" or resources.mode != COLOCATE:
        return 0
    return 1 + uses_reference(flags)


def _uneven_stages(flags: Flags, layers: int, pipeline: int) -> tuple[int, ...]:
    """Return the layers of every stage when the first or last is set apart, else nothing.

    The other stages share the rest evenly (Megatron-LM, transformer_config.py); what does not divide is the
    script's fault and is told by a rule.
    """
    if "pipeline-model-parallel-layout" in flags:
        return _layout(flags.text("pipeline-model-parallel-layout"), pipeline)
    first = flags.integer("decoder-first-pipeline-num-layers", 0)
    last = flags.integer("decoder-last-pipeline-num-layers", 0)
    if pipeline < 2 or not (first or last):
        return ()
    between = pipeline - bool(first) - bool(last)
    each = (layers - first - last) // between if between else 0
    stages = [*([first] if first else []), *[each] * between, *([last] if last else [])]
    if min(stages) < 1 or sum(stages) != layers:
        raise NotKnownError(f"{layers} layers do not divide over the stages {stages}", "stages that add up")
    return tuple(stages)


def _layout(text: str, pipeline: int) -> tuple[int, ...]:
    """Return the decoder layers of each stage of ``--pipeline-model-parallel-layout``: «Et*3|tt|ttL».

    E is the embedding, t a layer, L the loss, ``*`` repeats (Megatron-LM, pipeline_parallel_layer_layout.py).
    """
    plain = re.sub(r"(\w)\*(\d{1,3})", lambda found: found[1] * int(found[2]), text)
    stages = tuple(stage.count("t") for stage in plain.split("|"))
    if len(stages) != pipeline or "(" in text:
        raise NotKnownError(f"the layout {text[:60]} is not read for {pipeline} stages", "one part a stage")
    return stages


def _recompute(flags: Flags) -> Recompute:
    granularity = flags.text("recompute-granularity")
    if granularity not in ("full", "selective"):
        return Recompute()
    kind: Literal["full", "selective"] = "full" if granularity == "full" else "selective"
    method: Literal["uniform", "block"] = "block" if flags.text("recompute-method") == "block" else "uniform"
    modules = flags.words("recompute-modules") or ("core_attn",)
    return Recompute(kind, modules, method, flags.size("recompute-num-layers", 1))


def offload_fraction(flags: Flags) -> float:
    """Return the share of the optimizer on the CPU (Megatron's default is all of it)."""
    if "optimizer-cpu-offload" not in flags:
        return 0.0
    return min(1.0, max(0.0, flags.number("optimizer-offload-fraction", 1.0)))


def _optimizer(flags: Flags) -> Optimizer:
    """Relax always distributes the optimizer; fp32 gradients unless bf16 ones are asked for and allowed."""
    aware = "use-precision-aware-optimizer" in flags
    moments = {_DTYPES.get(flags.text(key), "fp32") for key in ("exp-avg-dtype", "exp-avg-sq-dtype")}
    narrow = _DTYPES.get(flags.text("main-grads-dtype")) == "bf16"
    small = aware and narrow and "accumulate-allreduce-grads-in-fp32" not in flags
    return Optimizer(
        distributed=True,
        precision_aware=aware,
        moments="bf16" if moments == {"bf16"} else "fp32",
        gradients="bf16" if small else "fp32",
        offload_fraction=offload_fraction(flags),
    )


def _loss(flags: Flags) -> Loss:
    objective = objective_of(flags)
    if objective == "sft":
        if "sft-chunked-logits" in flags:
            return Loss.CHUNKED
        return Loss.FUSED if "cross-entropy-loss-fusion" in flags else Loss.UNFUSED
    return Loss.RL


def lora_rank(flags: Flags) -> int:
    """Return the rank of the LoRA adapters, 0 without any. NotKnownError."""
    return flags.integer("lora-rank", 0)


def _adapters(flags: Flags, architecture: Architecture) -> int:
    """Return the parameters of the adapters: rank x (inputs + outputs) of each adapted projection.

    Adapters of experts are left out: a target pattern does not say how many experts it meets.
    """
    rank = lora_rank(flags)
    if not rank:
        return 0
    targets = flags.words("lora-target-modules") or flags.words("target-modules") or _LORA_DEFAULT
    names = " ".join(targets)
    attention = bool(re.search(r"qkv|q_proj|k_proj|v_proj|proj|all", names))
    feed_forward = bool(re.search(r"fc1|fc2|gate|up|down|mlp|all", names))
    hidden, total = architecture.hidden, 0
    for layer in architecture.layers:
        if attention and isinstance(layer.attention, SoftmaxAttention):
            queries = layer.attention.heads * layer.attention.head_size
            keys = layer.attention.kv_heads * layer.attention.head_size
            total += (hidden + queries + 2 * keys) + (queries + hidden)
        if feed_forward and isinstance(layer.mlp, DenseMlp):
            total += (hidden + 2 * layer.mlp.width) + (layer.mlp.width + hidden)
    return rank * max(total, 1)

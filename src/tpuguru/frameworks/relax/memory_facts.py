"""Facts that need the model's sizes: parameters, the memory budget, and what changes would make of it."""

from collections.abc import Callable
from functools import partial

from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.frameworks.relax.batch import longest_sample
from tpuguru.frameworks.relax.estimates import RUN_FLAGS, Estimates, more_experts
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.putting import Putter, told
from tpuguru.frameworks.relax.serving_facts import put_engine, put_suggestions
from tpuguru.frameworks.relax.training import virtual_chunks
from tpuguru.memory.fit import fit
from tpuguru.memory.megatron import stage_budgets
from tpuguru.memory.megatron.local_parameters import local_parameters, padded_vocabulary
from tpuguru.memory.megatron.state import optimizer_parameters
from tpuguru.models.architecture import Architecture, MoeMlp, SoftmaxAttention

_LOG_PROB_BYTES = 6  # bytes per logit of a forward pass: bf16 and its fp32 copy


def put_memory(put: Putter, subject: Subject) -> None:
    """Put sizes, budget, what-if peaks, engine memory and suggested values."""
    estimates = Estimates(subject)
    _put_sizes(put, subject, estimates)
    _put_parallel(put, subject, estimates)
    _put_budget(put, subject, estimates)
    _put_peaks(put, subject, estimates)
    put_engine(put, subject, estimates)
    put_suggestions(put, subject, estimates)


def _put_sizes(put: Putter, subject: Subject, estimates: Estimates) -> None:
    works: dict[str, Callable[[], FactValue]] = {
        "moe": lambda: estimates.architecture.is_moe,
        "size.parameters": lambda: estimates.count.total,
        "size.active": lambda: estimates.count.active,
        "size.expert_parameters": lambda: estimates.count.of("experts"),
        "size.layers": lambda: len(estimates.architecture.layers),
        "size.hidden": lambda: estimates.architecture.hidden,
        "size.heads": lambda: _attention(estimates.architecture).heads,
        "size.kv_heads": lambda: _attention(estimates.architecture).kv_heads,
        "size.vocabulary": lambda: estimates.architecture.vocabulary,
        "size.experts": lambda: estimates.architecture.experts,
        "size.expert_width": lambda: _expert_width(estimates.architecture),
        "size.tied": lambda: estimates.architecture.tied_embeddings,
    }
    for name, work in works.items():
        put.facts.defer(f"relax.{name}", partial(_of_model, put, subject, work))


def _of_model(put: Putter, subject: Subject, work: Callable[[], FactValue]) -> Value:
    """Return a size of the model; its origin is the model configuration, or the option that names a model."""
    value = told(work)
    known = not isinstance(value, Unknown)
    return Value(value, subject.model.origin if known else put.following("num-layers"))


def _attention(architecture: Architecture) -> SoftmaxAttention:
    for layer in architecture.layers:
        if isinstance(layer.attention, SoftmaxAttention):
            return layer.attention
    raise NotKnownError("the model has no softmax attention with heads of its own")


def _expert_width(architecture: Architecture) -> int:
    widths = [layer.mlp.width for layer in architecture.layers if isinstance(layer.mlp, MoeMlp)]
    return min(widths, default=0)


def _put_parallel(put: Putter, subject: Subject, estimates: Estimates) -> None:
    def chunks() -> int:
        keys = ("num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank")
        if not any(key in subject.flags for key in keys):
            return 1
        return virtual_chunks(subject.flags, len(estimates.architecture.layers))

    put.deferred("parallel.chunks", chunks, "num-layers-per-virtual-pipeline-stage")

    def bubble() -> float:
        stages = subject.flags.size("pipeline-model-parallel-size", 1)
        if stages == 1:
            return 0.0
        return (stages - 1) / (chunks() * estimates.batch.microbatches())

    put.deferred("parallel.bubble", bubble, "pipeline-model-parallel-size")
    share = partial(_communication, subject, estimates)
    put.deferred("parallel.communication", share, "tensor-model-parallel-size")


def _communication(subject: Subject, estimates: Estimates) -> float:
    """Return the time of tensor-parallel communication over that of computation, for a token of a layer.

    Communication: six all-reduces of bf16 activations (two each forward, backward and recomputed), of which
    each moves 2 (t - 1) / t times 2 h bytes over NVLink. Computation: 2 + 4 + 2 FLOPs a parameter, over t.
    """
    chip = subject.device
    bandwidth = chip.figure("ici_bandwidth") if chip is not None else None
    peak = chip.peak_flops_per_device("bf16") if chip is not None else None
    if bandwidth is None or peak is None:
        raise NotKnownError("bandwidth or peak of the GPU is not known", "--gpu NAME")
    tensor = subject.flags.size("tensor-model-parallel-size", 1)
    layer = estimates.count.total / len(estimates.architecture.layers)
    return (24 * estimates.architecture.hidden * (tensor - 1) / bandwidth) / (8 * layer / peak)


def _put_budget(put: Putter, subject: Subject, estimates: Estimates) -> None:
    works: dict[str, Callable[[], FactValue]] = {
        "memory.static": lambda: estimates.budget.static_bytes,
        "memory.weights": lambda: estimates.budget.bytes_of("weights"),
        "memory.activations": lambda: estimates.budget.bytes_of("activations"),
        "memory.logits": partial(_logits, estimates, 10),
        "memory.log_prob_logits": partial(_log_prob_logits, subject, estimates),
        "memory.experts": lambda: round(6 * local_parameters(estimates.run, estimates.budget.stage).experts),
        "memory.outside": lambda: estimates.budget.bytes_of("non_torch"),
        "memory.host": lambda: estimates.budget.host_bytes,
        "memory.host_node": partial(_host_of_node, subject, estimates),
        "memory.emptiest_stage": partial(_emptiest_stage, estimates),
        "optimizer.shard": partial(_shard, estimates),
    }
    for name, work in works.items():
        put.deferred(name, work, *RUN_FLAGS)


def _logits(estimates: Estimates, each: int) -> int:
    run = estimates.run
    return each * run.microbatch_tokens * padded_vocabulary(run) // run.tensor_parallel


def _log_prob_logits(subject: Subject, estimates: Estimates) -> int:
    run = estimates.run
    tokens = subject.flags.integer("log-probs-max-tokens-per-gpu", run.microbatch_tokens)
    longest = longest_sample(subject.flags) or 0
    worst = max(tokens, -(-longest // run.context_parallel))
    return _LOG_PROB_BYTES * worst * padded_vocabulary(run) // run.tensor_parallel


def _host_of_node(subject: Subject, estimates: Estimates) -> int:
    per_node = min(subject.flags.size("num-gpus-per-node", 8), estimates.run.gpus)
    return per_node * estimates.budget.host_bytes


def _emptiest_stage(estimates: Estimates) -> int:
    return min(budget.gpu_bytes for budget in stage_budgets(estimates.run))


def _shard(estimates: Estimates) -> int:
    return round(optimizer_parameters(estimates.run, local_parameters(estimates.run, estimates.budget.stage)))


def _put_peaks(put: Putter, subject: Subject, estimates: Estimates) -> None:
    # The lambdas wait for `peaks`, which raises when the launch does not settle it.
    works: dict[str, Callable[[], int]] = {
        "now": lambda: estimates.peaks.now(),  # noqa: PLW0108
        "without_offload": lambda: estimates.peaks.with_optimizer(offload_fraction=0.0),
        "with_offload": lambda: estimates.peaks.with_optimizer(precision_aware=True, offload_fraction=1.0),
        "without_recompute": lambda: estimates.peaks.without_recompute(),  # noqa: PLW0108
        "tensor_half": lambda: estimates.peaks.tensor_half(),  # noqa: PLW0108
        "pipeline_half": lambda: estimates.peaks.pipeline_half(),  # noqa: PLW0108
        "context_half": lambda: estimates.peaks.context_half(),  # noqa: PLW0108
        "tokens_double": lambda: estimates.peaks.tokens_double(),  # noqa: PLW0108
        "half_gpus": lambda: estimates.peaks.half_gpus(),  # noqa: PLW0108
        "precision_aware": lambda: estimates.peaks.with_optimizer(precision_aware=True),
        "more_experts": lambda: estimates.peaks.experts(more_experts(subject, estimates)),
    }
    for name, work in works.items():
        put.deferred(f"peak.{name}", work, *RUN_FLAGS)
    for name in ("now", "without_offload", "without_recompute"):
        put.deferred(f"fit.{name}", partial(_fit, works[name], subject), *RUN_FLAGS)


def _fit(peak: Callable[[], int], subject: Subject) -> str:
    return fit(peak(), subject.device_bytes).value

"""Facts that need the model's sizes: parameters, the memory budget, and what changes would make of it."""

from collections.abc import Callable
from functools import cached_property, partial

from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.frameworks.relax.batch import Batch, longest_sample
from tpuguru.frameworks.relax.engine import RolloutEngine, fewest_gpus, pool_of, pool_tokens, rollout_engine
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.peaks import Peaks
from tpuguru.frameworks.relax.putting import Putter, told
from tpuguru.frameworks.relax.training import run_batch, training_run, virtual_chunks
from tpuguru.memory.budget import Budget
from tpuguru.memory.fit import fit
from tpuguru.memory.megatron import MegatronRun, estimate, stage_budgets
from tpuguru.memory.megatron.local_parameters import local_parameters, padded_vocabulary
from tpuguru.memory.megatron.state import optimizer_parameters
from tpuguru.models.architecture import Architecture, MoeMlp, SoftmaxAttention
from tpuguru.models.parameters import ParameterCount, count_parameters

_RUN_FLAGS = ("max-tokens-per-gpu", "tensor-model-parallel-size", "resource")
_LOG_PROB_BYTES = 6  # bytes per logit of a forward pass: bf16 and its fp32 copy


class Estimates:
    """The training run and what is estimated of it, each computed when it is first asked for."""

    def __init__(self, subject: Subject) -> None:
        """Keep the subject."""
        self._subject = subject

    @property
    def architecture(self) -> Architecture:
        """The model. NotKnownError."""
        return self._subject.model.architecture

    @cached_property
    def count(self) -> ParameterCount:
        """Parameters of the model."""
        return count_parameters(self.architecture)

    @cached_property
    def batch(self) -> Batch:
        """The batch of the actor."""
        return run_batch(self._subject.flags, self._subject.resources.gpus("actor"))

    @cached_property
    def run(self) -> MegatronRun:
        """The actor's training run. NotKnownError, UsageError."""
        return training_run(self._subject.flags, self.architecture, self._subject.resources)

    @cached_property
    def budget(self) -> Budget:
        """The budget of the fullest GPU."""
        return estimate(self.run)

    @cached_property
    def peaks(self) -> Peaks:
        """What-if peaks."""
        return Peaks(self.run, self.batch)

    @cached_property
    def engine(self) -> RolloutEngine:
        """The rollout engines."""
        return rollout_engine(self._subject.flags, self._subject.resources)


def put_memory(put: Putter, subject: Subject) -> None:
    """Put sizes, budget, what-if peaks, engine memory and suggested values."""
    estimates = Estimates(subject)
    _put_sizes(put, subject, estimates)
    _put_parallel(put, subject, estimates)
    _put_budget(put, subject, estimates)
    _put_peaks(put, subject, estimates)
    _put_engine(put, subject, estimates)
    _put_suggestions(put, subject, estimates)


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
        put.deferred(name, work, *_RUN_FLAGS)


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
        "more_experts": lambda: estimates.peaks.experts(_more_experts(subject, estimates)),
    }
    for name, work in works.items():
        put.deferred(f"peak.{name}", work, *_RUN_FLAGS)
    for name in ("now", "without_offload", "without_recompute"):
        put.deferred(f"fit.{name}", partial(_fit, works[name], subject), *_RUN_FLAGS)


def _fit(peak: Callable[[], int], subject: Subject) -> str:
    return fit(peak(), subject.device_bytes).value


def _more_experts(subject: Subject, estimates: Estimates) -> int:
    """Return the largest expert parallelism within a node that divides experts and GPUs."""
    run = estimates.run
    if not estimates.architecture.is_moe:
        raise NotKnownError("the model has no experts")
    per_node = subject.flags.size("num-gpus-per-node", 8)
    ranks = run.gpus // (run.pipeline_parallel * run.expert_tensor)
    limit = min(ranks, max(1, per_node // run.expert_tensor), estimates.architecture.experts)
    fitting = (
        size
        for size in range(limit, 0, -1)
        if ranks % size == 0 and estimates.architecture.experts % size == 0
    )
    return next(fitting, 1)


def _put_engine(put: Putter, subject: Subject, estimates: Estimates) -> None:
    flags, keys = subject.flags, ("sglang-mem-fraction-static", "rollout-num-gpus-per-engine")

    def layers_told() -> None:
        if not subject.model.layers_told:
            raise NotKnownError(
                "the model configuration leaves to the checkpoint which layers keep a KV cache",
                "the --linear-… flags of the model, or --model NAME",
            )

    def pool(share: int) -> FactValue:
        layers_told()
        engine = estimates.engine
        if engine.gpus % share:
            raise NotKnownError("an engine has one GPU only", "an engine of several GPUs")
        gpus = engine.gpus // share
        found = pool_of(flags, estimates.architecture, engine, subject.device_bytes, gpus)
        return pool_tokens(found, engine)

    def whole(name: str) -> int:
        found = pool_of(
            flags, estimates.architecture, estimates.engine, subject.device_bytes, estimates.engine.gpus
        )
        if name == "weights":
            return found.budget.bytes_of("weights")
        layers_told()
        return found.bytes_per_token

    put.deferred("engine.pool", partial(pool, 1), *keys)
    put.deferred("engine.pool_half", partial(pool, 2), *keys)
    put.deferred("engine.weights", partial(whole, "weights"), *keys)
    put.deferred("engine.token_bytes", partial(whole, "token"), *keys)


def _put_suggestions(put: Putter, subject: Subject, estimates: Estimates) -> None:
    def engine() -> int:
        longest = longest_sample(subject.flags)
        if longest is None:
            raise NotKnownError("no flag bounds the length of a sample", "--rollout-max-response-len")
        if not subject.model.layers_told:
            raise NotKnownError("which layers keep a KV cache is not known", "--model NAME")
        found = estimates.engine
        return fewest_gpus(subject.flags, estimates.architecture, found, subject.device_bytes, longest)

    def chunk() -> int:
        stages = subject.flags.size("pipeline-model-parallel-size", 1)
        return max(1, len(estimates.architecture.layers) // (2 * stages))

    works: dict[str, Callable[[], FactValue]] = {
        "expert": partial(_more_experts, subject, estimates),
        "engine": engine,
        "budget": lambda: estimates.peaks.largest_budget(subject.device_bytes),
        "offload_fraction": lambda: estimates.peaks.offload_fraction(subject.device_bytes),
        "chunk": chunk,
        "half_gpus": lambda: subject.resources.total // 2,
    }
    for name, work in works.items():
        put.deferred(f"suggest.{name}", work, *_RUN_FLAGS)

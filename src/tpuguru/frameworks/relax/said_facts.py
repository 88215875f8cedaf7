"""Facts that flags, file name and environment state, or that follow from them by counting."""

import re
from functools import partial

from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Unknown
from tpuguru.frameworks.relax.batch import Batch, budget_of, longest_sample, steps_of
from tpuguru.frameworks.relax.diagnostics import allocator, connections, debugging, misspelt
from tpuguru.frameworks.relax.engine import RolloutEngine, rollout_engine
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flag_tables import INTEGERS, NUMBERS, ROLES, SWITCHES, TEXTS, UNFUSED
from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.frameworks.relax.putting import Putter
from tpuguru.frameworks.relax.recognise import ENTRYPOINT_MISSING
from tpuguru.frameworks.relax.resources import mode_of
from tpuguru.frameworks.relax.training import (
    expert_tensor_of,
    lora_rank,
    objective_of,
    offload_fraction,
    run_batch,
)


def put_said(put: Putter, subject: Subject) -> None:
    """Put every fact that needs no sizes of the model."""
    flags = put.flags
    for name, keys in SWITCHES.items():
        put.stated(name, partial(_given, flags, keys), *keys)
    for name, key, default in INTEGERS:
        put.stated(name, partial(flags.integer, key, default), key)
    for name, key, number in NUMBERS:
        put.stated(name, partial(flags.number, key, number), key)
    for name, key, text in TEXTS:
        put.stated(name, partial(flags.text, key, text), key)
    _put_name(put, subject)
    _put_context(put, subject)
    _put_resources(put, subject)
    _put_batch(put, subject)
    _put_choices(put)
    _put_engine(put, subject)
    _put_environment(put, subject)


def _given(flags: Flags, keys: tuple[str, ...]) -> bool:
    return any(key in flags for key in keys)


def _put_name(put: Putter, subject: Subject) -> None:
    name = subject.name
    origin = Origin(OriginKind.FILE, f"the file name {name.stem}", None)
    absent = Unknown("the file name does not state it", "a file name run-<model>-<size>-<N>xgpu")
    put.put("script", name.stem, origin)
    put.put("name.gpus", name.gpus if name.gpus is not None else absent, origin)
    put.put("name.says_async", name.is_async, origin)
    put.put("name.modality", name.modality, origin)
    size = round(name.parameters) if name.parameters is not None else absent
    put.put("name.parameters", size, origin)
    put.put("debug", name.is_debug, origin)
    put.put("accelerator", subject.accelerator, origin)
    put.put("nvidia", subject.accelerator == "gpu" and _is_nvidia(subject), origin)
    put.put("model", name.model or _checkpoint(put.flags) or "unknown", origin)


def _is_nvidia(subject: Subject) -> bool:
    return subject.device is None or subject.device.vendor.lower() == "nvidia"


def _checkpoint(flags: Flags) -> str:
    return flags.known_texts().get("hf-checkpoint", "").rstrip("/").rsplit("/", 1)[-1]


def _put_context(put: Putter, subject: Subject) -> None:
    flags = put.flags
    put.stated("mode", partial(mode_of, flags), "hybrid", "fully-async", "colocate")
    put.stated("objective", partial(objective_of, flags), "sft-objective", "loss-type", "advantage-estimator")
    put.stated("lora", lambda: lora_rank(flags) > 0, "lora-rank")
    put.stated("modality", partial(_modality, subject), "multimodal-keys")
    near = misspelt(flags)
    put.derived("flags.misspelt", lambda: near, *(text.partition(" ")[0].lstrip("-") for text in near[:1]))


def _modality(subject: Subject) -> str:
    if "multimodal-keys" not in subject.flags:
        return "text"
    keys = subject.flags.known_texts().get("multimodal-keys", "")
    return "video" if "video" in keys or subject.name.modality == "video" else "mm"


def _put_resources(put: Putter, subject: Subject) -> None:
    put.derived("gpus", lambda: subject.resources.total, "resource")
    put.stated("roles", lambda: tuple(subject.resources.roles), "resource")
    for name, role in ROLES:
        put.stated(name, partial(_gpus_of, subject, role), "resource")


def _gpus_of(subject: Subject, role: str) -> int:
    return subject.resources.gpus(role)


def _put_batch(put: Putter, subject: Subject) -> None:
    flags = put.flags

    def actor() -> Batch:
        return run_batch(flags, subject.resources.gpus("actor"))

    tokens = ("max-tokens-per-gpu", "rollout-max-response-len", "rollout-max-context-len", "micro-batch-size")
    put.derived("batch.longest_sample", partial(_longest, flags), *tokens[1:])
    put.derived("batch.microbatch", lambda: actor().microbatch_tokens, *tokens)
    put.derived("batch.microbatches", lambda: actor().microbatches(), "global-batch-size", *tokens)
    put.derived("batch.microbatches_short", lambda: actor().microbatches(4), "global-batch-size", *tokens)
    put.derived("batch.steps", partial(steps_of, flags), "rollout-batch-size", "global-batch-size")
    put.stated("batch.log_prob_budget", partial(_log_prob_budget, flags), "log-probs-max-tokens-per-gpu")
    put.stated("batch.bshd", lambda: flags.text("qkv-format", "thd") == "bshd", "qkv-format")
    put.stated("batch.over_sampling", partial(_over_sampling, flags), "over-sampling-batch-size")
    keeps = lambda: flags.text("sft-oversize-strategy", "keep") == "keep"  # noqa: E731
    put.stated("batch.keeps_oversize", keeps, "sft-oversize-strategy")
    put.derived("parallel.data", lambda: _replicas(subject), "tensor-model-parallel-size", "resource")
    put.stated("parallel.expert_tensor", partial(expert_tensor_of, flags), "expert-tensor-parallel-size")


def _longest(flags: Flags) -> int:
    longest = longest_sample(flags)
    if longest is None:
        needs = "--rollout-max-response-len" if objective_of(flags) == "rl" else "--rollout-max-context-len"
        raise NotKnownError("no flag bounds the length of a sample", needs)
    return longest


def _log_prob_budget(flags: Flags) -> int:
    budget = budget_of(flags)
    return flags.integer("log-probs-max-tokens-per-gpu", budget)


def _over_sampling(flags: Flags) -> int:
    return flags.integer("over-sampling-batch-size", flags.integer("rollout-batch-size"))


def _replicas(subject: Subject) -> int:
    actor = subject.resources.gpus("actor")
    product = 1
    for size in ("tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size"):
        product *= subject.flags.size(size, 1)
    if actor % product:
        raise NotKnownError(f"{actor} actor GPUs cannot be divided by TP x PP x CP = {product}")
    return actor // product


def _put_choices(put: Putter) -> None:
    flags = put.flags
    put.stated("recompute.granularity", partial(_granularity, flags), "recompute-granularity")
    modules = lambda: flags.words("recompute-modules") or ("core_attn",)  # noqa: E731
    put.stated("recompute.modules", modules, "recompute-modules")
    put.stated(
        "optimizer.offload_fraction",
        partial(offload_fraction, flags),
        "optimizer-offload-fraction",
        "optimizer-cpu-offload",
    )
    put.stated("experts.dispatcher", partial(_dispatcher, flags), "moe-token-dispatcher-type")
    off = tuple(name for name in UNFUSED if name in flags)
    put.stated("kernel.unfused", lambda: off, *off)


def _granularity(flags: Flags) -> str:
    granularity = flags.text("recompute-granularity", "none")
    return granularity if granularity in ("full", "selective") else "none"


def _dispatcher(flags: Flags) -> str:
    """Return the dispatcher; Relax turns allgather into alltoall."""
    kind = flags.text("moe-token-dispatcher-type", "alltoall")
    return "alltoall" if kind == "allgather" else kind


def _put_engine(put: Putter, subject: Subject) -> None:
    flags = put.flags

    def engine() -> RolloutEngine:
        return rollout_engine(flags, subject.resources)

    keys = ("rollout-num-gpus-per-engine", "rollout-batch-size", "resource")
    put.derived("engine.count", lambda: engine().count, *keys)
    put.derived("engine.running", lambda: engine().running, *keys)
    put.derived("engine.running_per_rank", lambda: engine().running_per_rank, *keys)
    put.stated(
        "engine.graph_batch",
        partial(_graph_batch, flags),
        "sglang-cuda-graph-max-bs",
        "sglang-cuda-graph-bs",
    )


def _graph_batch(flags: Flags) -> int:
    """Return the largest captured batch: as written, else SGLang's own choice by tensor parallelism."""
    if "sglang-cuda-graph-max-bs" in flags:
        return flags.integer("sglang-cuda-graph-max-bs")
    if "sglang-cuda-graph-bs" in flags:
        return max(flags.integers("sglang-cuda-graph-bs"), default=0)
    return 256 if flags.size("rollout-num-gpus-per-engine", 1) < 4 else 512


def _put_environment(put: Putter, subject: Subject) -> None:
    launch = subject.launch
    unread = any(note.kind == ENTRYPOINT_MISSING for note in launch.notes)
    missing = Unknown("the entrypoint script is not here", "the entrypoint script") if unread else None
    for name, (value, location) in (
        ("env.allocator", allocator(launch)),
        ("env.max_connections", connections(launch)),
    ):
        told = missing if missing is not None and not value else value
        put.put(name, told, Origin(OriginKind.ENVIRONMENT, location=location))
    found, location = debugging(launch, subject.flags)
    put.put("diagnostics", found, Origin(OriginKind.COMMAND, location=location))
    entrypoint = any(
        setting.location is not None and re.search(r"(?:^|/)entrypoint/", setting.location.path)
        for setting in launch.environment
    )
    put.put("env.entrypoint", entrypoint, Origin(OriginKind.ENVIRONMENT))
    put.stated("asynchronous.only_load_weight", partial(_only_weights, subject.flags), "ref-actor-config")


def _only_weights(flags: Flags) -> FactValue:
    return bool(re.search(r"\"only_load_weight\"\s*:\s*true", flags.text("ref-actor-config", "{}")))

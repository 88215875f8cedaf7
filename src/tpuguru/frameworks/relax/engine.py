"""The rollout engines: how many, how many sequences each decodes, and what fits its KV pool."""

import re
from dataclasses import dataclass

from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.frameworks.relax.resources import Resources
from tpuguru.memory.serving import Engine, KvPool, kv_pool
from tpuguru.models.architecture import Architecture

_SERVER_CONCURRENCY = 512  # Relax's default of --sglang-server-concurrency
_LEAST_POOL = 0.1  # of the GPU: an engine with less left for its KV cache would spend its time retracting


@dataclass(frozen=True, slots=True)
class RolloutEngine:
    """One engine of ``gpus`` GPUs out of ``count``; ``running`` sequences are decoded at once, at most."""

    gpus: int
    count: int
    running: int
    data_parallel: int
    attention_data_parallel: bool

    @property
    def running_per_rank(self) -> int:
        """Sequences of one data-parallel rank."""
        return -(-self.running // self.data_parallel)


def rollout_engine(flags: Flags, resources: Resources) -> RolloutEngine:
    """Return the engines of the launch. NotKnownError when there are none, or a flag is not settled."""
    gpus = flags.size("rollout-num-gpus-per-engine", 1)
    count = resources.gpus("rollout") // gpus
    if count < 1:
        raise NotKnownError("there is no rollout engine", "a rollout role in --resource")
    prompts = flags.integer("rollout-batch-size")
    asked = max(prompts, flags.integer("over-sampling-batch-size", prompts))
    samples = asked * flags.size("n-samples-per-prompt", 1)
    limits = [flags.size("sglang-server-concurrency", _SERVER_CONCURRENCY)]
    if "sglang-max-running-requests" in flags:
        limits.append(flags.size("sglang-max-running-requests", 1))
    divided = "sglang-enable-dp-attention" in flags
    ranks = flags.size("sglang-dp-size", 1) if divided else 1
    return RolloutEngine(gpus, count, min(*limits, -(-samples // count)), ranks, divided)


def weight_bytes(flags: Flags) -> float:
    """Return the bytes of a weight in the engine: bf16, or what the quantisation or checkpoint name says."""
    checkpoint = flags.setting("hf-checkpoint")
    # As written: its folder is often a variable of the environment, its name is not.
    named = f"{flags.text('sglang-quantization')} {checkpoint.raw if checkpoint else ''}".lower()
    if re.search(r"int4|w4a16|awq|gptq|fp4", named):
        return 0.5
    return 1.0 if re.search(r"fp8|int8|w8a8", named) else 2.0


def pool_of(
    flags: Flags, architecture: Architecture, engine: RolloutEngine, device: int, gpus: int
) -> KvPool:
    """Return the KV pool of an engine of ``gpus`` GPUs and as many of its sequences. NotKnownError."""
    ranks = min(engine.data_parallel, gpus)
    kv_bytes = 1 if flags.text("sglang-kv-cache-dtype").startswith("fp8") else 2
    sequences = max(1, engine.running * gpus // engine.gpus // ranks)
    return kv_pool(
        Engine(
            architecture=architecture,
            device_bytes=device,
            memory_fraction=flags.number("sglang-mem-fraction-static"),
            tensor_parallel=gpus,
            data_parallel_attention=ranks,
            weight_bytes_per_parameter=weight_bytes(flags),
            kv_element_bytes=kv_bytes,
            sequences=sequences,
        )
    )


def pool_tokens(pool: KvPool, engine: RolloutEngine) -> int:
    """Return the tokens that all data-parallel ranks of an engine hold together."""
    return pool.tokens * engine.data_parallel


def fewest_gpus(
    flags: Flags, architecture: Architecture, engine: RolloutEngine, device: int, longest: int
) -> int:
    """Return the fewest GPUs of an engine, halving, whose pool holds its sequences at half their length.

    A tenth of the GPU must be left for the pool. NotKnownError.
    """
    size = engine.gpus
    while size > 1 and size % 2 == 0:
        half = size // 2
        pool = pool_of(flags, architecture, engine, device, half)
        running = max(1, engine.running * half // engine.gpus)
        ranks = min(engine.data_parallel, half)
        if pool.tokens * ranks < running * longest / 2 or pool.bytes < _LEAST_POOL * device:
            break
        size = half
    return size

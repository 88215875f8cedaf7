"""What an inference engine has left for its KV cache on a GPU (SGLang's accounting)."""

from dataclasses import dataclass

from tpuguru.memory.budget import Budget, BudgetPart, Place
from tpuguru.models.architecture import Architecture
from tpuguru.models.kv_cache import kv_bytes_per_token, state_bytes_per_sequence
from tpuguru.models.parameters import count_parameters

_SOURCE = "SGLang: mem_fraction_static covers weights and the KV pool"
# CUDA graphs, NCCL and the allocator's remains of one engine: 0.6 + 1 + 1.6 GB (sglang issues 7873 and
# 30474).
_RUNTIME = 3_200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One inference engine.

    ``tensor_parallel`` GPUs share it; with ``data_parallel_attention`` the attention is divided over
    tensor_parallel / data_parallel_attention of them. ``memory_fraction`` is SGLang's
    ``--mem-fraction-static``.
    """

    architecture: Architecture
    device_bytes: int
    memory_fraction: float
    tensor_parallel: int = 1
    data_parallel_attention: int = 1
    weight_bytes_per_parameter: float = 2.0
    kv_element_bytes: int = 2
    sequences: int = 0


@dataclass(frozen=True, slots=True)
class KvPool:
    """The KV pool of one GPU: ``tokens`` is 0 when the weights alone exceed the fraction."""

    tokens: int
    bytes_per_token: int
    bytes: int
    budget: Budget

    @property
    def fits(self) -> bool:
        """Whether any token fits."""
        return self.tokens > 0


def kv_pool(engine: Engine) -> KvPool:
    """Return the KV pool: fraction x device - weights / TP - recurrent states, over bytes per token.

    The runtime's own memory lies outside the fraction. Formula: reference engine SGLang, model_runner's
    profile_max_num_tokens; bytes per token as in :mod:`tpuguru.models.kv_cache`.
    """
    attention_ranks = max(1, engine.tensor_parallel // engine.data_parallel_attention)
    each = kv_bytes_per_token(engine.architecture, attention_ranks, element_bytes=engine.kv_element_bytes)
    weights = round(
        count_parameters(engine.architecture).total
        * engine.weight_bytes_per_parameter
        / engine.tensor_parallel
    )
    states = engine.sequences * state_bytes_per_sequence(engine.architecture, attention_ranks)
    pool = max(0, round(engine.memory_fraction * engine.device_bytes) - weights - states)
    tokens = pool // each if each else 0
    parts = (
        BudgetPart("weights", weights, Place.GPU, f"parameters / TP {engine.tensor_parallel}", _SOURCE),
        BudgetPart("recurrent_states", states, Place.GPU, f"{engine.sequences} sequences", _SOURCE),
        BudgetPart("kv_cache", pool, Place.GPU, f"{tokens} tokens x {each} B", _SOURCE),
        BudgetPart(
            "runtime", _RUNTIME, Place.GPU_OUTSIDE_TORCH, "graphs, NCCL, allocator", "sglang issue 30474"
        ),
    )
    return KvPool(tokens, each, pool, Budget(tuple(part for part in parts if part.bytes)))

"""Parameter arithmetic: how many, in which part, and how tensor parallelism divides them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from tpuguru.models.architecture import (
    Architecture,
    AttentionKind,
    LatentAttention,
    Layer,
    LinearAttention,
    MlpKind,
    MoeMlp,
    SoftmaxAttention,
)


class Sharding(StrEnum):
    """How Megatron-style tensor and expert parallelism hold a part (Megatron-LM layer specs)."""

    TENSOR = "tensor"  # divided by TP
    REPLICATED = "replicated"  # whole on every rank of the TP group
    EXPERT = "expert"  # divided by EP and expert-TP


@dataclass(frozen=True, slots=True)
class Part:
    """Some parameters of a layer. ``name`` is the part of the model that they are reported under."""

    name: str
    count: int
    sharding: Sharding = Sharding.TENSOR


def _softmax(hidden: int, attention: SoftmaxAttention) -> Iterable[Part]:
    queries = attention.heads * attention.head_size
    keys = attention.kv_heads * attention.head_size
    projected = queries * (2 if attention.output_gate else 1) + keys * (1 if attention.value_from_key else 2)
    bias = projected if attention.qkv_bias else 0
    yield Part("attention", hidden * projected + bias + queries * hidden)
    normalised = {"": 0, "head": 2 * attention.head_size, "all heads": queries + keys}[attention.qk_norm]
    yield Part("norms", normalised, Sharding.REPLICATED)
    scalars = (hidden if attention.output_bias else 0) + (attention.heads if attention.sinks else 0)
    yield Part("attention", scalars, Sharding.REPLICATED)


def _latent(hidden: int, attention: LatentAttention) -> Iterable[Part]:
    query_size = attention.content_size + attention.rotary_size
    query_input = attention.query_rank or hidden
    up = attention.heads * (
        query_input * query_size + attention.kv_rank * (attention.content_size + attention.value_size)
    )
    yield Part("attention", up + attention.heads * attention.value_size * hidden)
    down = hidden * (attention.query_rank + attention.kv_rank + attention.rotary_size)
    yield Part("attention", down, Sharding.REPLICATED)
    yield Part("norms", attention.query_rank + attention.kv_rank, Sharding.REPLICATED)


def _linear(hidden: int, attention: LinearAttention) -> Iterable[Part]:
    keys = attention.key_heads * attention.key_size
    values = attention.value_heads * attention.value_size
    projections = hidden * (2 * keys + 2 * values + 2 * attention.value_heads)
    convolution = (2 * keys + values) * attention.convolution
    yield Part("attention", projections + convolution + values * hidden)
    yield Part("attention", 2 * attention.value_heads, Sharding.REPLICATED)  # decay and its bias
    yield Part("norms", attention.value_size, Sharding.REPLICATED)


def _attention(hidden: int, attention: AttentionKind) -> Iterable[Part]:
    if isinstance(attention, SoftmaxAttention):
        return _softmax(hidden, attention)
    if isinstance(attention, LatentAttention):
        return _latent(hidden, attention)
    return _linear(hidden, attention)


def _matrices(hidden: int, width: int, *, gated: bool) -> int:
    return (3 if gated else 2) * hidden * width


def _mlp(hidden: int, mlp: MlpKind) -> Iterable[Part]:
    if not isinstance(mlp, MoeMlp):
        bias = mlp.width * (2 if mlp.gated else 1) + hidden if mlp.bias else 0
        yield Part("mlp", _matrices(hidden, mlp.width, gated=mlp.gated) + bias)
        return
    yield Part("experts", mlp.experts * expert_parameters(hidden, mlp), Sharding.EXPERT)
    router = hidden * mlp.experts + (mlp.experts if mlp.router_bias else 0)
    yield Part("router", router, Sharding.REPLICATED)
    yield Part("shared experts", _matrices(hidden, mlp.shared_width, gated=mlp.gated))
    yield Part("shared experts", hidden if mlp.shared_gate else 0, Sharding.REPLICATED)


def expert_parameters(hidden: int, mlp: MoeMlp) -> int:
    """Return the parameters of one routed expert."""
    bias = mlp.width * (2 if mlp.gated else 1) + hidden if mlp.expert_bias else 0
    return _matrices(hidden, mlp.width, gated=mlp.gated) + bias


@cache
def layer_parts(hidden: int, layer: Layer, *, norm_bias: bool = False) -> tuple[Part, ...]:
    """Return the parts of one layer; parts of no parameters are left out."""
    norms = layer.norms * hidden * (2 if norm_bias else 1)
    parts = (
        *_attention(hidden, layer.attention),
        *_mlp(hidden, layer.mlp),
        Part("norms", norms, Sharding.REPLICATED),
    )
    return tuple(part for part in parts if part.count)


@cache
def mtp_parts(hidden: int, layer: Layer, *, norm_bias: bool = False) -> tuple[Part, ...]:
    """Return the parts of one multi-token-prediction module.

    It joins two normalised hidden states through a 2h x h projection, runs one decoder layer and normalises
    its output (DeepSeek-V3 technical report, section 2.2); embedding and output are shared with the model.
    """
    joined = Part("mtp", 2 * hidden * hidden)
    norms = Part("mtp", 3 * hidden * (2 if norm_bias else 1), Sharding.REPLICATED)
    inner = (
        Part("mtp", part.count, part.sharding) for part in layer_parts(hidden, layer, norm_bias=norm_bias)
    )
    return (joined, norms, *inner)


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Parameters of a whole model: ``total`` and ``active`` (what one token passes), and by part."""

    total: int
    active: int
    by_part: tuple[tuple[str, int], ...]

    def of(self, part: str) -> int:
        """Return the parameters of a part, 0 when the model has none."""
        return dict(self.by_part).get(part, 0)


def embedding_parts(architecture: Architecture) -> tuple[Part, ...]:
    """Return input embedding, learned positions and, unless tied, the output projection."""
    table = architecture.vocabulary * architecture.hidden
    parts = (
        Part("embedding", table),
        Part("embedding", architecture.learned_positions * architecture.hidden, Sharding.REPLICATED),
        Part("output", 0 if architecture.tied_embeddings else table),
    )
    return tuple(part for part in parts if part.count)


def count_parameters(architecture: Architecture, *, with_mtp: bool = False) -> ParameterCount:
    """Return the parameters of ``architecture``; multi-token-prediction modules only ``with_mtp``.

    Active parameters leave out the experts that a token is not sent to; the embedding counts whole, as model
    cards do («37B active»).
    """
    hidden, biased = architecture.hidden, architecture.norm_bias
    by_part: dict[str, int] = {}
    idle = 0
    for part in embedding_parts(architecture):
        by_part[part.name] = by_part.get(part.name, 0) + part.count
    for layer, number in architecture.kinds.items():
        for part in layer_parts(hidden, layer, norm_bias=biased):
            by_part[part.name] = by_part.get(part.name, 0) + part.count * number
        idle += number * idle_parameters(hidden, layer)
    by_part["norms"] = by_part.get("norms", 0) + hidden * (2 if biased else 1)
    if with_mtp:
        for layer in architecture.mtp:
            by_part["mtp"] = by_part.get("mtp", 0) + sum(
                part.count for part in mtp_parts(hidden, layer, norm_bias=biased)
            )
            idle += idle_parameters(hidden, layer)
    if architecture.other_parameters:
        by_part[architecture.other_title] = architecture.other_parameters
    total = sum(by_part.values())
    return ParameterCount(total, total - idle, tuple(by_part.items()))


def idle_parameters(hidden: int, layer: Layer) -> int:
    """Return the expert parameters of a layer that one token does not pass."""
    if not isinstance(layer.mlp, MoeMlp):
        return 0
    return (layer.mlp.experts - layer.mlp.active) * expert_parameters(hidden, layer.mlp)

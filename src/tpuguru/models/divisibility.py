"""Which parallel sizes divide a model."""

from dataclasses import dataclass

from tpuguru.models.architecture import (
    Architecture,
    LatentAttention,
    LinearAttention,
    MoeMlp,
    SoftmaxAttention,
)

_LARGEST = 64  # tensor parallelism beyond one fast domain is not asked for


@dataclass(frozen=True, slots=True)
class Divisibility:
    """Sizes that divide everything they must.

    ``tensor_parallel`` divide query heads, feed-forward widths and, unless they exceed the KV heads, those
    too; ``kv_heads`` is where KV heads begin to be copied. ``expert_parallel`` divide the experts,
    ``pipeline_parallel`` the layers.
    """

    tensor_parallel: tuple[int, ...]
    kv_heads: int
    expert_parallel: tuple[int, ...]
    pipeline_parallel: tuple[int, ...]


def divisibility(architecture: Architecture) -> Divisibility:
    """Return the parallel sizes that divide a model; frameworks pad vocabularies, so they are not asked."""
    tensor = [size for size in range(1, _LARGEST + 1) if _divides(architecture, size)]
    experts = architecture.experts
    layers = len(architecture.layers)
    return Divisibility(
        tuple(tensor),
        _shared_kv_heads(architecture),
        tuple(size for size in range(1, experts + 1) if experts % size == 0),
        tuple(size for size in range(1, min(layers, _LARGEST) + 1) if layers % size == 0),
    )


def _kv_heads(attention: SoftmaxAttention | LatentAttention | LinearAttention) -> int:
    if isinstance(attention, SoftmaxAttention):
        return attention.kv_heads
    return attention.heads if isinstance(attention, LatentAttention) else attention.key_heads


def _shared_kv_heads(architecture: Architecture) -> int:
    kinds = (layer.attention for layer in architecture.kinds)
    return min((kind.kv_heads for kind in kinds if isinstance(kind, SoftmaxAttention)), default=0)


def _divides(architecture: Architecture, size: int) -> bool:
    for layer in architecture.kinds:
        attention, mlp = layer.attention, layer.mlp
        heads = attention.value_heads if isinstance(attention, LinearAttention) else attention.heads
        kv_heads = _kv_heads(attention)
        if heads % size or (kv_heads % size and size % max(1, kv_heads)):
            return False
        widths = (mlp.width, mlp.shared_width) if isinstance(mlp, MoeMlp) else (mlp.width,)
        if any(width % size for width in widths):
            return False
    return True

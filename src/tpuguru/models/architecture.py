"""What a decoder model is made of, whoever wrote its configuration: enough to count parameters and bytes."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class SoftmaxAttention:
    """Multi-head or grouped-query attention.

    ``window`` is the sliding window in tokens, 0 for full attention. ``qk_norm`` says over what queries and
    keys are normalised. ``output_gate`` doubles the query projection (Qwen3-Next). ``sinks`` adds one scalar
    a head.
    """

    heads: int
    kv_heads: int
    head_size: int
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: Literal["", "head", "all heads"] = ""
    output_gate: bool = False
    sinks: bool = False
    window: int = 0
    value_from_key: bool = False  # keys serve as values (Gemma 4's global layers): no value projection


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (DeepSeek). ``query_rank`` is 0 when queries are not compressed."""

    heads: int
    query_rank: int
    kv_rank: int
    content_size: int
    rotary_size: int
    value_size: int


@dataclass(frozen=True, slots=True)
class LinearAttention:
    """Gated delta net (Qwen3-Next, Qwen3.5) or alike: a fixed state instead of a KV cache."""

    key_heads: int
    value_heads: int
    key_size: int
    value_size: int
    convolution: int = 4


type AttentionKind = SoftmaxAttention | LatentAttention | LinearAttention


@dataclass(frozen=True, slots=True)
class DenseMlp:
    """A feed-forward block: three matrices when gated (SwiGLU, GeGLU), two when not."""

    width: int
    gated: bool = True
    bias: bool = False


@dataclass(frozen=True, slots=True)
class MoeMlp:
    """A mixture of experts. ``shared_width`` is the summed width of the experts that every token passes."""

    experts: int
    active: int
    width: int
    shared_width: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    gated: bool = True


type MlpKind = DenseMlp | MoeMlp


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer. ``norms`` counts its normalisations over the hidden size."""

    attention: AttentionKind
    mlp: MlpKind
    norms: int = 2


@dataclass(frozen=True, slots=True)
class Architecture:
    """A decoder model. Sizes are counts of elements; ``layers`` are in order.

    ``mtp`` are the extra layers of multi-token prediction. ``other_parameters`` are parts counted elsewhere,
    such as a vision tower. ``unmapped`` names configuration keys that change the model and are not
    represented here.
    """

    name: str
    hidden: int
    vocabulary: int
    layers: tuple[Layer, ...]
    tied_embeddings: bool = False
    norm_bias: bool = False  # LayerNorm, not RMSNorm
    learned_positions: int = 0
    mtp: tuple[Layer, ...] = ()
    other_parameters: int = 0
    other_title: str = ""
    longest_context: int = 0
    family: str = ""
    unmapped: tuple[str, ...] = field(default=())

    @property
    def is_moe(self) -> bool:
        """Whether any layer has experts."""
        return any(isinstance(layer.mlp, MoeMlp) for layer in self.layers)

    @property
    def experts(self) -> int:
        """Experts of a layer that has them, 0 for a dense model."""
        return max((layer.mlp.experts for layer in self.layers if isinstance(layer.mlp, MoeMlp)), default=0)

    @property
    def kinds(self) -> dict[Layer, int]:
        """How many layers of each kind there are, in order of first appearance."""
        counts: dict[Layer, int] = {}
        for layer in self.layers:
            counts[layer] = counts.get(layer, 0) + 1
        return counts

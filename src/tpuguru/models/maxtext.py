"""Reads a MaxText model YAML, and writes an architecture as MaxText keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tpuguru.base.location import Location
from tpuguru.models.architecture import (
    Architecture,
    AttentionKind,
    DenseMlp,
    LatentAttention,
    Layer,
    LinearAttention,
    MlpKind,
    MoeMlp,
    SoftmaxAttention,
)
from tpuguru.models.configuration import Configuration

_FOUR_NORMS = ("gemma2", "gemma3", "gemma4")
_GATED_DELTA = ("qwen3_next", "qwen3_5")
_OTHER_KEYS = ("vision_encoder_block", "audio_encoder_block")


@dataclass(frozen=True, slots=True)
class MaxTextKey:
    """A MaxText key with the value that describes a model."""

    key: str
    value: str


def is_maxtext_model(values: Mapping[str, Any]) -> bool:
    """Tell whether a YAML describes a model in MaxText's keys."""
    return "base_emb_dim" in values or "base_num_decoder_layers" in values


def architecture_from_maxtext(
    values: Mapping[str, Any], *, name: str = "", location: Location | None = None
) -> Architecture:
    """Return the architecture of a MaxText model YAML; UsageError for a missing or impossible size.

    Keys left out have the values of MaxText's base.yml. gemma2 merges a local and a global layer into one, so
    its layers count twice.
    """
    text = Configuration(values, "MaxText model YAML", location)
    block = text.text("decoder_block", default="llama2")
    count = text.layers("base_num_decoder_layers") * (2 if block == "gemma2" else 1)
    layers = tuple(_layer(text, block, index) for index in range(count))
    positions = values.get("trainable_position_size", -1)
    predicted = text.layers("mtp_num_layers", default=0)
    return Architecture(
        name=name or text.text("model_name", default=block),
        hidden=text.size("base_emb_dim"),
        vocabulary=text.size("vocab_size", default=32_000),
        layers=layers,
        tied_embeddings=text.flag("logits_via_embedding"),
        norm_bias=block == "gpt3",
        learned_positions=max(0, positions) if isinstance(positions, int) else 0,
        mtp=(layers[-1],) * predicted if layers else (),
        family=block,
        unmapped=tuple(key for key in _OTHER_KEYS if text.has(key)),
    )


def _layer(text: Configuration, block: str, index: int) -> Layer:
    return Layer(_attention(text, block, index), _mlp(text, block, index), 4 if block in _FOUR_NORMS else 2)


def _attention(text: Configuration, block: str, index: int) -> AttentionKind:
    if text.text("attention_type") == "mla":
        return LatentAttention(
            heads=text.size("base_num_query_heads"),
            query_rank=text.size("q_lora_rank", default=0),
            kv_rank=text.size("kv_lora_rank", default=512),
            content_size=text.size("qk_nope_head_dim", default=128),
            rotary_size=text.size("qk_rope_head_dim", default=64),
            value_size=text.size("v_head_dim", default=128),
        )
    if block in _GATED_DELTA:
        cycle = text.size("inhomogeneous_layer_cycle_interval", default=4)
        if (index + 1) % max(1, cycle):
            return LinearAttention(
                key_heads=text.size("gdn_num_key_heads", default=16),
                value_heads=text.size("gdn_num_value_heads", default=32),
                key_size=text.size("gdn_key_head_dim", default=128),
                value_size=text.size("gdn_value_head_dim", default=128),
                convolution=text.size("gdn_conv_kernel_dim", default=4),
            )
    return _softmax(text, block, index)


def _softmax(text: Configuration, block: str, index: int) -> SoftmaxAttention:
    normalised = text.flag("use_qk_norm") or block in _GATED_DELTA or block in ("gemma3", "gemma4")
    bias = text.flag("attention_bias") or block == "gpt3"
    return SoftmaxAttention(
        heads=text.size("base_num_query_heads"),
        kv_heads=text.size("base_num_kv_heads"),
        head_size=text.size("head_dim", default=128),
        qkv_bias=bias,
        output_bias=bias and block in ("gpt3", "gpt_oss"),
        # Llama 4 normalises without learned scales.
        qk_norm="head" if normalised and block != "llama4" else "",
        output_gate=block in _GATED_DELTA,
        sinks=text.flag("attention_sink"),
        window=_window(text, block, index),
    )


def _window(text: Configuration, block: str, index: int) -> int:
    pattern = {"gemma2": 2, "gemma3": 6, "gpt_oss": 2}.get(block, 0)
    return text.size("sliding_window_size", default=0) if pattern and (index + 1) % pattern else 0


def _mlp(text: Configuration, block: str, index: int) -> MlpKind:
    experts = text.size("num_experts", default=1)
    width = text.size("base_mlp_dim")
    activations = text.list_of("mlp_activations")
    gated = len(activations) != 1
    if experts <= 1 or index < text.size("first_num_dense_layers", default=0) or _is_dense(text, index):
        return DenseMlp(width, gated=gated, bias=text.flag("mlp_bias") or block == "gpt3")
    expert_width = text.values.get("base_moe_mlp_dim", -1)
    if not isinstance(expert_width, int) or expert_width <= 0:
        expert_width = width
    return MoeMlp(
        experts=experts,
        active=text.size("num_experts_per_tok", default=1),
        width=expert_width,
        shared_width=expert_width * text.size("shared_experts", default=0),
        shared_gate=block in _GATED_DELTA,
        router_bias=text.flag("routed_bias"),
        expert_bias=text.flag("mlp_bias"),
        gated=gated,
    )


def _is_dense(text: Configuration, index: int) -> bool:
    step = text.size("interleave_moe_layer_step", default=1)
    return step > 1 and (index + 1) % step != 0


def maxtext_keys(architecture: Architecture, decoder_block: str) -> list[MaxTextKey]:
    """Return the MaxText keys that describe ``architecture``, in the order of MaxText's own files."""
    return [MaxTextKey(key, value) for key, value in _keys(architecture, decoder_block) if value]


def _keys(architecture: Architecture, decoder_block: str) -> Iterator[tuple[str, str]]:
    last = architecture.layers[-1]
    merged = 2 if decoder_block == "gemma2" else 1
    yield "decoder_block", decoder_block
    yield "base_emb_dim", str(architecture.hidden)
    yield "base_num_decoder_layers", str(len(architecture.layers) // merged)
    yield "vocab_size", str(architecture.vocabulary)
    yield "logits_via_embedding", str(architecture.tied_embeddings).lower()
    yield from _attention_keys(last.attention)
    linear = [
        layer.attention for layer in architecture.layers if isinstance(layer.attention, LinearAttention)
    ]
    if linear:
        yield from _linear_keys(linear[0])
    yield from _mlp_keys(architecture)
    yield "mtp_num_layers", str(len(architecture.mtp)) if architecture.mtp else ""


def _attention_keys(attention: AttentionKind) -> Iterator[tuple[str, str]]:
    if isinstance(attention, LatentAttention):
        yield "attention_type", "mla"
        yield "base_num_query_heads", str(attention.heads)
        yield "base_num_kv_heads", str(attention.heads)
        yield "q_lora_rank", str(attention.query_rank)
        yield "kv_lora_rank", str(attention.kv_rank)
        yield "qk_nope_head_dim", str(attention.content_size)
        yield "qk_rope_head_dim", str(attention.rotary_size)
        yield "v_head_dim", str(attention.value_size)
    elif isinstance(attention, SoftmaxAttention):
        yield "base_num_query_heads", str(attention.heads)
        yield "base_num_kv_heads", str(attention.kv_heads)
        yield "head_dim", str(attention.head_size)
        yield "use_qk_norm", "true" if attention.qk_norm == "head" else ""
        yield "attention_bias", "true" if attention.qkv_bias else ""
        yield "attention_sink", "true" if attention.sinks else ""


def _linear_keys(attention: LinearAttention) -> Iterator[tuple[str, str]]:
    yield "gdn_num_key_heads", str(attention.key_heads)
    yield "gdn_num_value_heads", str(attention.value_heads)
    yield "gdn_key_head_dim", str(attention.key_size)
    yield "gdn_value_head_dim", str(attention.value_size)
    yield "gdn_conv_kernel_dim", str(attention.convolution)


def _mlp_keys(architecture: Architecture) -> Iterator[tuple[str, str]]:
    dense = [layer.mlp for layer in architecture.layers if isinstance(layer.mlp, DenseMlp)]
    experts = [layer.mlp for layer in architecture.layers if isinstance(layer.mlp, MoeMlp)]
    yield "base_mlp_dim", str(dense[0].width if dense else experts[0].width)
    if not experts:
        return
    moe = experts[0]
    yield "base_moe_mlp_dim", str(moe.width)
    yield "num_experts", str(moe.experts)
    yield "num_experts_per_tok", str(moe.active)
    yield "shared_experts", str(moe.shared_width // moe.width) if moe.shared_width else ""
    yield "first_num_dense_layers", str(len(dense)) if dense else ""
    yield "routed_bias", "true" if moe.router_bias else ""

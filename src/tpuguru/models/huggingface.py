"""Reads a Hugging Face config.json. Nothing is downloaded and no model code runs."""

from collections.abc import Mapping
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
from tpuguru.models.families import FAMILIES, Family

_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_OTHER_PARTS = ("vision_config", "audio_config", "thinker_config", "talker_config", "visual")
_LINEAR_LAYER = "linear_attention"


def architecture_from_huggingface(
    values: Mapping[str, Any], *, name: str = "", location: Location | None = None
) -> Architecture:
    """Return the architecture that a config.json describes; UsageError for a missing or impossible size.

    Towers for images and sound are named in ``unmapped``, since their parameters are not counted; so is an
    unknown ``model_type``, which is read as a Llama-like decoder.
    """
    whole = Configuration(values, "config.json", location)
    thinker = whole.nested("thinker_config")
    text = (thinker or whole).nested(*_TEXT_PARTS) or whole
    model_type = text.text("model_type") or whole.text("model_type")
    family = FAMILIES.get(model_type) or FAMILIES.get(whole.text("model_type"))
    unmapped = [part for part in _OTHER_PARTS if whole.has(part)]
    if family is None:
        unmapped.append(f"model_type {model_type or '(none)'}: read as a Llama-like decoder")
    return _architecture(text, whole, family or Family(), model_type, name, tuple(unmapped))


def _architecture(
    text: Configuration,
    whole: Configuration,
    family: Family,
    model_type: str,
    name: str,
    unmapped: tuple[str, ...],
) -> Architecture:
    count = text.layers("num_hidden_layers", "n_layer", "num_layers")
    layers = tuple(_layer(text, family, index) for index in range(count))
    predicted = text.layers("num_nextn_predict_layers", "mtp_num_hidden_layers", default=0)
    positions = text.size("n_positions", "max_position_embeddings", default=0)
    tied = text.flag("tie_word_embeddings", default=whole.flag("tie_word_embeddings", default=family.tied))
    return Architecture(
        name=name or whole.text("_name_or_path", default=model_type),
        hidden=text.size("hidden_size", "n_embd"),
        vocabulary=text.size("vocab_size", "padded_vocab_size"),
        layers=layers,
        tied_embeddings=tied,
        norm_bias=family.norm_bias,
        learned_positions=positions if family.learned_positions else 0,
        mtp=(layers[-1],) * predicted if layers else (),
        longest_context=positions,
        family=model_type,
        unmapped=unmapped,
    )


def _layer(text: Configuration, family: Family, index: int) -> Layer:
    return Layer(_attention(text, family, index), _mlp(text, family, index), family.norms)


def _attention(text: Configuration, family: Family, index: int) -> AttentionKind:
    if text.has("kv_lora_rank"):
        return _latent(text)
    if text.has("linear_num_value_heads") and _is_linear(text, index):
        return LinearAttention(
            key_heads=text.size("linear_num_key_heads"),
            value_heads=text.size("linear_num_value_heads"),
            key_size=text.size("linear_key_head_dim"),
            value_size=text.size("linear_value_head_dim"),
            convolution=text.size("linear_conv_kernel_dim", default=4),
        )
    return _softmax(text, family, index)


def _is_linear(text: Configuration, index: int) -> bool:
    kinds = text.list_of("layer_types")
    if index < len(kinds):
        return bool(kinds[index] == _LINEAR_LAYER)
    return (index + 1) % max(1, text.size("full_attention_interval", default=4)) != 0


def _latent(text: Configuration) -> LatentAttention:
    return LatentAttention(
        heads=text.size("num_attention_heads"),
        query_rank=text.size("q_lora_rank", default=0),
        kv_rank=text.size("kv_lora_rank"),
        content_size=text.size("qk_nope_head_dim"),
        rotary_size=text.size("qk_rope_head_dim"),
        value_size=text.size("v_head_dim"),
    )


def _softmax(text: Configuration, family: Family, index: int) -> SoftmaxAttention:
    heads = text.size("num_attention_heads", "n_head")
    if heads == 0:
        raise text.wrong("num_attention_heads is 0")
    normalised = text.flag("use_qk_norm") and text.text("model_type") == "glm4_moe"
    bias = text.flag("attention_bias", default=family.qkv_bias)
    return SoftmaxAttention(
        heads=heads,
        kv_heads=text.size("num_key_value_heads", default=heads),
        head_size=text.size("head_dim", default=text.size("hidden_size", "n_embd") // heads),
        qkv_bias=bias,
        # Llama's attention_bias covers the output too; Qwen2 and GLM have it on q, k and v only.
        output_bias=family.output_bias or (bias and text.text("model_type") == "llama"),
        qk_norm="head" if normalised else family.qk_norm,
        output_gate=text.flag("attn_output_gate", default=family.output_gate),
        sinks=family.sinks,
        window=_window(text, index),
    )


def _window(text: Configuration, index: int) -> int:
    kinds = text.list_of("layer_types")
    window = text.size("sliding_window", default=0)
    if index < len(kinds):
        return window if kinds[index] == "sliding_attention" else 0
    pattern = text.size("sliding_window_pattern", default=0)
    if pattern:
        return 0 if (index + 1) % pattern == 0 else window
    return window if text.flag("use_sliding_window") else 0


def _mlp(text: Configuration, family: Family, index: int) -> MlpKind:
    experts = text.size("num_experts", "num_local_experts", "n_routed_experts", default=0)
    if experts and _has_experts(text, index):
        return _experts(text, family, experts)
    hidden = text.size("hidden_size", "n_embd")
    width = text.size("intermediate_size_mlp", "intermediate_size", "n_inner", default=4 * hidden)
    return DenseMlp(width, gated=family.gated, bias=text.flag("mlp_bias", default=family.bias))


def _has_experts(text: Configuration, index: int) -> bool:
    if index < text.size("first_k_dense_replace", default=0) or index in text.list_of("mlp_only_layers"):
        return False
    listed = text.list_of("moe_layers")
    if listed:
        return index in listed
    if text.has("moe_layer_freq"):  # DeepSeek counts layers from 0, Qwen and Llama 4 from 1
        return index % max(1, text.size("moe_layer_freq")) == 0
    step = text.size("decoder_sparse_step", "interleave_moe_layer_step", default=1)
    return step > 0 and (index + 1) % step == 0


def _experts(text: Configuration, family: Family, experts: int) -> MoeMlp:
    width = text.size("moe_intermediate_size", "intermediate_size")
    shared = text.size("shared_expert_intermediate_size", default=0)
    if not shared:
        llama4 = 1 if text.text("model_type") == "llama4_text" else 0
        shared = width * text.size("n_shared_experts", default=llama4)
    return MoeMlp(
        experts=experts,
        active=text.size("num_experts_per_tok", "experts_per_token"),
        width=width,
        shared_width=shared,
        shared_gate=family.shared_gate and shared > 0,
        router_bias=family.router_bias,
        expert_bias=family.expert_bias,
    )

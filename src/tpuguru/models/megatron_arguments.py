"""Reads Megatron-LM model flags: the MODEL_ARGS of a launch script, already expanded."""

import re
from collections.abc import Mapping

from tpuguru.base.errors import UsageError
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

_TRUE = ("", "true", "1", "True")


def architecture_from_megatron(
    flags: Mapping[str, str], *, name: str = "", location: Location | None = None
) -> Architecture:
    """Return the architecture that Megatron-LM's flags describe (names without dashes: «num-layers»).

    Flags left out have the defaults of Megatron-LM's arguments.py. A ``--spec`` of another package may build
    layers that no flag describes, so it is named in ``unmapped``. UsageError for a missing or impossible
    size.
    """
    read = Configuration(_typed(flags), "MODEL_ARGS", location)
    count = read.layers("num-layers")
    experts = _pattern(read, "moe-layer-freq", count, default=1)
    linear = _linear_layers(read, count)
    layers = tuple(
        Layer(_attention(read, is_linear=linear[index]), _mlp(read, has_experts=bool(experts[index])))
        for index in range(count)
    )
    predicted = read.layers("mtp-num-layers", default=0)
    unmapped = [flag for flag in ("spec", "vision-model") if flag in flags]
    return Architecture(
        name=name,
        hidden=read.size("hidden-size"),
        vocabulary=read.size("vocab-size", "padded-vocab-size"),
        layers=layers,
        tied_embeddings="untie-embeddings-and-output-weights" not in flags,
        norm_bias=read.text("normalization", default="LayerNorm") != "RMSNorm",
        mtp=(layers[-1],) * predicted if layers else (),
        longest_context=read.size("max-position-embeddings", default=0),
        family="megatron",
        unmapped=tuple(f"--{flag} {flags[flag]}" for flag in unmapped),
    )


def _typed(flags: Mapping[str, str]) -> dict[str, int | str | bool]:
    return {key: _value(text) for key, text in flags.items()}


def _value(text: str) -> int | str | bool:
    bare = text.strip().strip("\"'")
    if re.fullmatch(r"\d{1,18}", bare):
        return int(bare)
    return True if bare in _TRUE else bare


def _pattern(read: Configuration, flag: str, count: int, *, default: int) -> list[int]:
    """Return a 0/1 for each layer from Megatron's three spellings: N, [0,1,1], ([0]*3+[1]*58)."""
    value = read.values.get(flag, default)
    if isinstance(value, int) and not isinstance(value, bool):
        return [int(index % value == 0) if value else 0 for index in range(count)]
    layers = _list_expression(read, flag, str(value))
    if len(layers) != count:
        raise read.wrong(f"--{flag} describes {len(layers)} layers, --num-layers is {count}")
    return layers


def _list_expression(read: Configuration, flag: str, text: str) -> list[int]:
    layers: list[int] = []
    for term in text.replace(" ", "").strip("()").split("+"):
        parts = re.fullmatch(r"\(?\[([01](?:,[01])*)\](?:\*(\d{1,4}))?\)?", term)
        if parts is None:
            raise read.wrong(f"--{flag} {text[:60]!r} is not a list of 0 and 1")
        layers += [int(digit) for digit in parts[1].split(",")] * int(parts[2] or 1)
    return layers


def _linear_layers(read: Configuration, count: int) -> list[bool]:
    if not read.has("linear-num-value-heads"):
        return [False] * count
    value = read.values.get("linear-attention-freq", 4)
    if isinstance(value, int) and not isinstance(value, bool):
        return [bool((index + 1) % max(1, value)) for index in range(count)]
    return [bool(digit) for digit in _pattern(read, "linear-attention-freq", count, default=4)]


def _attention(read: Configuration, *, is_linear: bool) -> AttentionKind:
    if is_linear:
        return LinearAttention(
            key_heads=read.size("linear-num-key-heads"),
            value_heads=read.size("linear-num-value-heads"),
            key_size=read.size("linear-key-head-dim"),
            value_size=read.size("linear-value-head-dim"),
            convolution=read.size("linear-conv-kernel-dim", default=4),
        )
    heads = read.size("num-attention-heads")
    if heads == 0:
        raise read.wrong("--num-attention-heads is 0")
    if read.flag("multi-latent-attention"):
        return _latent(read, heads)
    grouped = read.flag("group-query-attention")
    biased = not read.flag("disable-bias-linear")
    return SoftmaxAttention(
        heads=heads,
        kv_heads=read.size("num-query-groups", default=1) if grouped else heads,
        head_size=read.size("kv-channels", default=read.size("hidden-size") // heads),
        qkv_bias=biased or read.flag("add-qkv-bias"),
        output_bias=biased,
        qk_norm="head" if read.flag("qk-layernorm") else "",
        output_gate=read.flag("attention-output-gate"),
        window=read.size("window-size", default=0) if isinstance(read.values.get("window-size"), int) else 0,
    )


def _latent(read: Configuration, heads: int) -> LatentAttention:
    return LatentAttention(
        heads=heads,
        query_rank=read.size("q-lora-rank", default=0),
        kv_rank=read.size("kv-lora-rank", default=32),
        content_size=read.size("qk-head-dim", default=128),
        rotary_size=read.size("qk-pos-emb-head-dim", default=64),
        value_size=read.size("v-head-dim", default=128),
    )


def _mlp(read: Configuration, *, has_experts: bool) -> MlpKind:
    gated = read.flag("swiglu")
    hidden = read.size("hidden-size")
    # arguments.py: 4h, and with SwiGLU two thirds of it, to a multiple of 64.
    usual = hidden * 8 // 3 // 64 * 64 if gated else 4 * hidden
    width = read.size("ffn-hidden-size", default=usual)
    experts = read.size("num-experts", default=0)
    biased = not read.flag("disable-bias-linear")
    if not experts or not has_experts:
        return DenseMlp(width, gated=gated, bias=biased)
    return MoeMlp(
        experts=experts,
        active=read.size("moe-router-topk", default=2),
        width=read.size("moe-ffn-hidden-size", default=width),
        shared_width=read.size("moe-shared-expert-intermediate-size", default=0),
        shared_gate=read.flag("moe-shared-expert-gate"),
        router_bias=read.flag("moe-router-enable-expert-bias"),
        expert_bias=biased,
        gated=gated,
    )


def flags_from_words(words: list[str], *, location: Location | None = None) -> dict[str, str]:
    """Return flags by name from expanded words, several values joined by a blank; the last one wins."""
    flags: dict[str, str] = {}
    current = ""
    for word in words:
        if re.match(r"--[A-Za-z]", word):
            name, _, value = word[2:].partition("=")
            current = name.replace("_", "-")
            flags[current] = value
        elif current:
            flags[current] = f"{flags[current]} {word}".strip()
    if not flags:
        raise UsageError("no Megatron flags (--num-layers …) in this text", location=location)
    return flags

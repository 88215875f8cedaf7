"""Bytes that a token or a sequence leaves in an inference engine's cache."""

from tpuguru.models.architecture import (
    Architecture,
    AttentionKind,
    LatentAttention,
    LinearAttention,
    SoftmaxAttention,
)


def kv_bytes_per_token(
    architecture: Architecture,
    tensor_parallel: int = 1,
    *,
    element_bytes: int = 2,
    window_reached: bool = False,
) -> int:
    """Return the cache bytes of one token on one device.

    Keys and values of each KV head a device holds, at least one head (it is copied when TP exceeds the
    heads); latent attention keeps kv_rank + rotary_size elements on every device (DeepSeek-V2,
    arXiv:2405.04434, section 2.1); recurrent layers keep none. With ``window_reached`` sliding-window layers
    are left out: past the window they grow no more.
    """
    return sum(
        number * _elements(layer.attention, tensor_parallel, window_reached=window_reached) * element_bytes
        for layer, number in architecture.kinds.items()
    )


def _elements(attention: AttentionKind, tensor_parallel: int, *, window_reached: bool) -> int:
    if isinstance(attention, LinearAttention):
        return 0
    if isinstance(attention, LatentAttention):
        return attention.kv_rank + attention.rotary_size
    if window_reached and attention.window:
        return 0
    heads = max(1, -(-attention.kv_heads // tensor_parallel))
    return heads * attention.head_size * (1 if attention.value_from_key else 2)


def state_bytes_per_sequence(architecture: Architecture, tensor_parallel: int = 1) -> int:
    """Return the fixed bytes of one sequence in recurrent layers: fp32 states and bf16 convolution tails.

    A gated delta net keeps value_heads x key_size x value_size of state and convolution - 1 inputs of its q,
    k and v channels (Qwen3-Next's cache in Transformers and SGLang).
    """
    total = 0
    for layer, number in architecture.kinds.items():
        if isinstance(layer.attention, LinearAttention):
            total += number * _state(layer.attention)
    return -(-total // tensor_parallel)


def _state(attention: LinearAttention) -> int:
    state = attention.value_heads * attention.key_size * attention.value_size * 4
    channels = 2 * attention.key_heads * attention.key_size + attention.value_heads * attention.value_size
    return state + channels * (attention.convolution - 1) * 2


def windows(architecture: Architecture) -> int:
    """Return the number of layers with a sliding window."""
    return sum(
        number
        for layer, number in architecture.kinds.items()
        if isinstance(layer.attention, SoftmaxAttention) and layer.attention.window
    )

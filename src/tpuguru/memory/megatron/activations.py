"""Activation bytes per token, by the kind of layer and the part of it.

Everything is bf16 with flash attention and no dropout. The attention matrix is never stored.
"""

from tpuguru.memory.megatron.run import MegatronRun
from tpuguru.models.architecture import (
    AttentionKind,
    LatentAttention,
    Layer,
    LinearAttention,
    MoeMlp,
    SoftmaxAttention,
)

SOURCE = "tensors kept for backward, after Korthikanti et al., arXiv:2205.05198; docs/memory-estimator.md"
_STATE_CHUNK = 64  # tokens per stored recurrent state of a gated delta net (flash-linear-attention's chunk)


def layer_activations(run: MegatronRun, layer: Layer) -> dict[str, float]:
    """Return the bytes that one token of a layer keeps for the backward pass on one GPU, by part.

    A dense layer with SwiGLU sums to 8h + 4 heads x size + 4 kv heads x size + 6 ffn, over TP when sequence
    parallelism is on; without it the h terms are not divided (the paper's 10 + 24/t form less its dropout
    masks).
    """
    hidden, tensor = run.architecture.hidden, run.tensor_parallel
    parts = {"norms": 4 * hidden / run.sequence_split}
    parts.update(_attention(run, layer.attention))
    if isinstance(layer.mlp, MoeMlp):
        parts.update(_experts(run, layer.mlp))
    else:
        parts["mlp"] = _feed_forward(layer.mlp.width, gated=layer.mlp.gated) / tensor
    return parts


def _feed_forward(width: int, *, gated: bool) -> float:
    """SwiGLU keeps gate, up and their product: 3 x 2 bytes; a plain activation keeps its input and output."""
    return (6 if gated else 4) * width


def _attention(run: MegatronRun, attention: AttentionKind) -> dict[str, float]:
    hidden, tensor = run.architecture.hidden, run.tensor_parallel
    # 2h into the normalisation's residual and 2h into the projections.
    inputs = 4 * hidden / run.sequence_split
    if isinstance(attention, SoftmaxAttention):
        kind, core = "softmax attention", _softmax(attention)
    elif isinstance(attention, LatentAttention):
        kind, core = "latent attention", _latent(attention)
    else:
        kind, core = "gated delta net", _linear(attention)
    return {"attention inputs": inputs, kind: core / tensor}


def _softmax(attention: SoftmaxAttention) -> float:
    """Return 4 bytes per query and key element: q and output, k and v, each 2 bytes."""
    gate = 2 * attention.heads * attention.head_size if attention.output_gate else 0
    return 4 * attention.heads * attention.head_size + 4 * attention.kv_heads * attention.head_size + gate


def _latent(attention: LatentAttention) -> float:
    """Return the bytes of latent attention: compressed and expanded q, k, v, the output, and norms.

    Checked on DeepSeek-V2 and V3 rows of SimuMax's B200 table.
    """
    query_size = attention.content_size + attention.rotary_size
    compressed = 2 * (attention.query_rank + attention.heads * query_size)
    compressed += 2 * (attention.kv_rank + attention.rotary_size)
    expanded = 4 * attention.heads * query_size
    expanded += 2 * attention.heads * (attention.content_size + attention.value_size)
    output = 4 * attention.heads * attention.value_size
    return compressed + expanded + output + 2 * attention.query_rank + 2 * attention.kv_rank


def _linear(attention: LinearAttention) -> float:
    """Return the bytes of a gated delta net: q, k, v, gate around the convolution, and chunk states.

    Not checked against a measurement: no published run gives one.
    """
    keys = attention.key_heads * attention.key_size
    values = attention.value_heads * attention.value_size
    projected = 2 * 2 * (2 * keys + 2 * values)
    states = 4 * attention.value_heads * attention.key_size * attention.value_size / _STATE_CHUNK
    return projected + states


def _experts(run: MegatronRun, mlp: MoeMlp) -> dict[str, float]:
    """Return the bytes of router, shared and routed experts.

    Each rank gets tokens x top-k token copies on average, whatever EP is (Megatron-LM PR 6782). A copy keeps
    4h for dispatch and combine and a SwiGLU of the expert's width; expert-TP gathers more copies and splits
    their width.
    """
    copies = mlp.active * run.expert_imbalance * run.expert_tensor / run.sequence_split
    width = _feed_forward(mlp.width, gated=mlp.gated) / run.expert_tensor
    return {
        "router": 12 * mlp.experts / run.sequence_split,
        "shared experts": _feed_forward(mlp.shared_width, gated=mlp.gated) / run.tensor_parallel,
        "expert dispatch": copies * 4 * run.architecture.hidden,
        "routed experts": copies * width,
    }

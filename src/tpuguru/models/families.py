"""Model families of Hugging Face Transformers: what a config.json leaves to the code of its model_type."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Family:
    """Defaults of one ``model_type``, from its configuration class and modelling file in Transformers.

    ``tied`` is the value of ``tie_word_embeddings`` when a file leaves it out. ``maxtext`` is MaxText's
    ``decoder_block``, ``torchtitan`` the model folder; empty when there is none.
    """

    qk_norm: Literal["", "head", "all heads"] = ""
    qkv_bias: bool = False
    output_bias: bool = False
    tied: bool = False
    norms: int = 2
    norm_bias: bool = False
    gated: bool = True
    bias: bool = False  # on every other linear layer
    shared_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    sinks: bool = False
    output_gate: bool = False
    learned_positions: bool = False
    maxtext: str = ""
    torchtitan: str = ""


_QWEN3_NEXT = Family(qk_norm="head", output_gate=True, shared_gate=True, maxtext="qwen3_next")
_QWEN35 = Family(qk_norm="head", output_gate=True, shared_gate=True, maxtext="qwen3_5")
_GEMMA3 = Family(qk_norm="head", tied=True, norms=4, maxtext="gemma3")

FAMILIES = {
    "llama": Family(maxtext="llama2", torchtitan="llama3"),
    "mistral": Family(maxtext="mistral"),
    "mixtral": Family(maxtext="mixtral"),
    "phi3": Family(),
    "qwen2": Family(qkv_bias=True, maxtext="qwen2"),
    "qwen2_moe": Family(qkv_bias=True, shared_gate=True),
    "qwen2_5_vl_text": Family(qkv_bias=True),
    "qwen2_5_vl": Family(qkv_bias=True),
    "qwen2_vl": Family(qkv_bias=True),
    "qwen3": Family(qk_norm="head", maxtext="qwen3", torchtitan="qwen3"),
    "qwen3_moe": Family(qk_norm="head", maxtext="qwen3_moe", torchtitan="qwen3"),
    "qwen3_vl_text": Family(qk_norm="head", maxtext="qwen3"),
    "qwen3_vl_moe_text": Family(qk_norm="head", maxtext="qwen3_moe"),
    "qwen3_omni_moe_text": Family(qk_norm="head", maxtext="qwen3_moe"),
    "qwen3_next": _QWEN3_NEXT,
    "qwen3_5_text": _QWEN35,
    "qwen3_5_moe_text": _QWEN35,
    "qwen3_5": _QWEN35,
    "qwen3_5_moe": _QWEN35,
    "gemma": Family(tied=True, maxtext="gemma"),
    "gemma2": Family(tied=True, norms=4, maxtext="gemma2"),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "deepseek_v2": Family(maxtext="deepseek"),
    "deepseek_v3": Family(router_bias=True, maxtext="deepseek", torchtitan="deepseek_v3"),
    "kimi_k2": Family(router_bias=True, maxtext="deepseek"),
    "glm4_moe": Family(router_bias=True),
    "gpt_oss": Family(
        qkv_bias=True,
        output_bias=True,
        router_bias=True,
        expert_bias=True,
        sinks=True,
        maxtext="gpt_oss",
        torchtitan="gpt_oss",
    ),
    "gpt2": Family(
        qkv_bias=True,
        output_bias=True,
        bias=True,
        tied=True,
        norm_bias=True,
        gated=False,
        learned_positions=True,
        maxtext="gpt3",
    ),
    "olmo2": Family(qk_norm="all heads"),
    "olmo3": Family(qk_norm="all heads", maxtext="olmo3"),
    "olmoe": Family(qk_norm="all heads"),
    "llama4_text": Family(maxtext="llama4", torchtitan="llama4"),
}

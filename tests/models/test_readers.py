"""The same model read from three kinds of configuration."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.errors import TpuguruError, UsageError
from tpuguru.models.architecture import Architecture
from tpuguru.models.huggingface import architecture_from_huggingface
from tpuguru.models.known import known_model
from tpuguru.models.mapping import mapping_of
from tpuguru.models.maxtext import architecture_from_maxtext
from tpuguru.models.megatron_arguments import architecture_from_megatron, flags_from_words
from tpuguru.models.parameters import count_parameters
from tpuguru.report.model_source import read_model_text

MAXTEXT_30B = """
decoder_block: "qwen3_moe"
base_emb_dim: 2048
base_mlp_dim: 768
base_num_query_heads: 32
base_num_kv_heads: 4
base_num_decoder_layers: 48
head_dim: 128
vocab_size: 151936
use_qk_norm: true
num_experts: 128
num_experts_per_tok: 8
base_moe_mlp_dim: 768
"""

MEGATRON_30B = (
    "--swiglu --num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144 --num-attention-heads 32 "
    "--group-query-attention --num-query-groups 4 --kv-channels 128 --vocab-size 151936 --qk-layernorm "
    "--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights "
    "--num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768"
)

MEGATRON_DEEPSEEK = (
    "--num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432 --num-attention-heads 128 --vocab-size 129280 "
    "--swiglu --normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights "
    "--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 "
    "--v-head-dim 128 --num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 "
    "--moe-shared-expert-intermediate-size 2048 --moe-router-enable-expert-bias --moe-layer-freq [0]*3+[1]*58"
)


def known(name: str) -> Architecture:
    found = known_model(name)
    assert found
    return found


def test_a_maxtext_file_is_the_same_model() -> None:
    """Layer by layer, not only in the total."""
    read, read_as = read_model_text(MAXTEXT_30B, "qwen3-30b-a3b.yml")
    assert read_as == "MaxText model YAML"
    assert read.layers == known("qwen3-30b-a3b").layers


def test_megatron_flags_are_the_same_model() -> None:
    """MODEL_ARGS say the same sizes in other words."""
    read = architecture_from_megatron(flags_from_words(MEGATRON_30B.split()))
    assert read.layers == known("qwen3-30b-a3b").layers
    assert not read.tied_embeddings


def test_megatron_latent_attention_and_layer_pattern() -> None:
    """MLA flags and [0]*3+[1]*58 give DeepSeek-V3 to the parameter."""
    read = architecture_from_megatron(flags_from_words(MEGATRON_DEEPSEEK.split()))
    assert count_parameters(read).total == count_parameters(known("deepseek3-671b")).total


@pytest.mark.parametrize("pattern", ["([0]*3+[1]*58)", "[" + ",".join(["0"] * 3 + ["1"] * 58) + "]"])
def test_every_spelling_of_the_layer_pattern(pattern: str) -> None:
    """Parentheses and written-out lists are the same pattern; nothing is evaluated."""
    flags = {**flags_from_words(MEGATRON_DEEPSEEK.split()), "moe-layer-freq": pattern}
    assert architecture_from_megatron(flags).layers == known("deepseek3-671b").layers


def test_a_layer_pattern_of_another_length_is_refused() -> None:
    """The two numbers that contradict each other are both named."""
    flags = {**flags_from_words(MEGATRON_DEEPSEEK.split()), "moe-layer-freq": "[0]*3+[1]*57"}
    with pytest.raises(UsageError, match="describes 60 layers, --num-layers is 61"):
        architecture_from_megatron(flags)


@pytest.mark.parametrize(
    "pattern", ["__import__('os').system('id')", "[0]*999999999999", "[2]*61", "[0]*3-[1]"]
)
def test_a_hostile_layer_pattern_is_not_evaluated(pattern: str) -> None:
    """It is text that matches a grammar, or an error."""
    flags = {**flags_from_words(MEGATRON_DEEPSEEK.split()), "moe-layer-freq": pattern}
    with pytest.raises(UsageError):
        architecture_from_megatron(flags)


def test_a_script_with_model_args_is_expanded_without_running_it() -> None:
    """Arrays, loops and comments of a model script are read statically."""
    flags = "\n".join(f"  {flag}" for flag in MEGATRON_30B.replace(" --", "\n--").splitlines())
    script = (
        f"N=48\nMODEL_ARGS=(\n{flags.replace('--num-layers 48', '--num-layers $N')}\n  # --num-layers 2\n)\n"
    )
    read, read_as = read_model_text(script, "qwen3-30B-A3B.sh")
    assert read_as == "Megatron flags"
    assert read.layers == known("qwen3-30b-a3b").layers


def test_bare_flags_are_read_too() -> None:
    """A paste of flags alone is enough."""
    read, _ = read_model_text(MEGATRON_30B, "-")
    assert read.layers == known("qwen3-30b-a3b").layers


def test_a_multimodal_config_names_what_is_not_counted() -> None:
    """The language part is read; the tower is said to be missing from the count."""
    text = {
        "model_type": "qwen3_vl_text",
        "hidden_size": 2560,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 9728,
        "vocab_size": 151936,
        "tie_word_embeddings": True,
    }
    config = {"model_type": "qwen3_vl", "text_config": text, "vision_config": {"depth": 24}}
    read, _ = read_model_text(json.dumps(config), "config.json")
    assert count_parameters(read).total == count_parameters(known("qwen3-4b")).total
    assert "vision_config" in read.unmapped


def test_an_unknown_family_is_read_as_llama_and_says_so() -> None:
    """Better a stated assumption than a refusal."""
    config = {
        "model_type": "brandnew",
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 100,
        "intermediate_size": 128,
    }
    read = architecture_from_huggingface(config)
    assert any("brandnew" in what for what in read.unmapped)


HYBRID = {
    "model_type": "qwen3_next",
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "head_dim": 64,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
    "vocab_size": 512,
}


def test_layer_types_override_the_interval() -> None:
    """A written list of layer kinds wins over the usual every-fourth pattern."""
    kinds = ["full_attention", "linear_attention", "linear_attention", "full_attention"]
    by_list = architecture_from_huggingface({**HYBRID, "layer_types": kinds})
    by_interval = architecture_from_huggingface(HYBRID)
    full = [type(layer.attention).__name__ for layer in by_list.layers]
    assert full == ["SoftmaxAttention", "LinearAttention", "LinearAttention", "SoftmaxAttention"]
    assert [type(layer.attention).__name__ for layer in by_interval.layers].count("LinearAttention") == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ("{} x", "not valid JSON"),
        ('{"hidden_size": 64}', "num_hidden_layers or n_layer or num_layers is missing"),
        ('{"num_hidden_layers": 1e9, "hidden_size": 64}', "out of range"),
        ('{"num_hidden_layers": "many", "hidden_size": 64}', "should be a whole number"),
        ('{"num_hidden_layers": 2, "num_attention_heads": 0, "hidden_size": 64}', "num_attention_heads is 0"),
        ("base_emb_dim: 8\nbase_num_decoder_layers: [1, 2]\n", "should be a whole number"),
        ("a: [1,", "not valid YAML"),
        ("steps: 10\n", "this describes no model"),
        ("", "this describes no model"),
        ("[" * 100_000, "not valid YAML"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_a_wrong_file_is_one_sentence(text: str, said: str) -> None:
    """Whatever was pasted, the user reads what is wrong with it."""
    with pytest.raises(TpuguruError) as caught:
        read_model_text(text, "model")
    assert said in caught.value.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**12) | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(HYBRID)), JSON))
def test_any_values_are_read_or_refused(changed: dict[str, Any]) -> None:
    """Half-missing, hostile and mistyped configurations end in a model or a sentence."""
    try:
        read = architecture_from_huggingface({**HYBRID, **changed})
        count_parameters(read)
    except UsageError:
        pass


def test_maxtext_keys_written_are_read_back() -> None:
    """The keys that `tpuguru model` proposes for a new MaxText file describe the same layers."""
    for name in ("qwen3-30b-a3b", "deepseek3-671b", "qwen3-next-80b-a3b", "llama3.1-8b", "qwen2.5-7b"):
        architecture = known(name)
        mapping = mapping_of(architecture)
        values = yaml.safe_load("\n".join(f"{entry.key}: {entry.value}" for entry in mapping.maxtext_keys))
        read = architecture_from_maxtext(values)
        assert count_parameters(read).total == count_parameters(architecture).total, name

"""KV pools and the worst microbatch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.hardware.chips import chip
from tpuguru.memory.microbatch import worst_microbatch
from tpuguru.memory.serving import Engine, kv_pool
from tpuguru.models.architecture import Architecture
from tpuguru.models.known import known_model
from tpuguru.models.kv_cache import kv_bytes_per_token, state_bytes_per_sequence


def known(name: str) -> Architecture:
    found = known_model(name)
    assert found
    return found


@pytest.mark.parametrize(
    ("name", "each"),
    [
        ("qwen3-4b", 147_456),
        ("qwen3-30b-a3b", 98_304),
        ("qwen3.5-35b-a3b", 20_480),
        ("deepseek3-671b", 70_272),
        ("llama3.1-405b", 516_096),
    ],
)
def test_kv_bytes_of_a_token(name: str, each: int) -> None:
    """Published sizes: full-attention layers only, and the latent of MLA."""
    assert kv_bytes_per_token(known(name)) == each


def test_kv_heads_are_copied_beyond_their_number() -> None:
    """TP 8 on 4 KV heads keeps one head a rank, not half a head."""
    assert kv_bytes_per_token(known("qwen3-30b-a3b"), 8) == kv_bytes_per_token(known("qwen3-30b-a3b"), 4)


def test_recurrent_layers_have_a_state_instead() -> None:
    """30 gated delta nets: 32 heads of 128 x 128 in fp32 and three tokens of convolution input."""
    each = 32 * 128 * 128 * 4 + (2 * 16 * 128 + 32 * 128) * 3 * 2
    assert state_bytes_per_sequence(known("qwen3.5-35b-a3b")) == 30 * each


def test_a_fraction_too_small_for_the_weights_leaves_no_pool() -> None:
    """Lowering the fraction is the wrong advice when the weights do not fit into it."""
    engine = Engine(
        architecture=known("qwen3-32b"), device_bytes=chip("h100").hbm_per_device, memory_fraction=0.5
    )
    assert not kv_pool(engine).fits


@given(st.sampled_from([1, 2, 4, 8]), st.floats(0.3, 0.95))
def test_the_pool_is_what_the_fraction_leaves(tensor: int, fraction: float) -> None:
    """Weights and pool together never exceed the fraction of the device."""
    device = chip("h20").hbm_per_device
    engine = Engine(
        architecture=known("qwen3-30b-a3b"),
        device_bytes=device,
        memory_fraction=fraction,
        tensor_parallel=tensor,
    )
    pool = kv_pool(engine)
    assert pool.budget.torch_bytes <= max(fraction * device + 1, pool.budget.bytes_of("weights"))
    assert pool.tokens * pool.bytes_per_token <= pool.bytes


def test_one_long_sample_breaks_the_token_budget() -> None:
    """Dynamic batching does not cut a sample: 205,280 tokens pass a budget of 9,216."""
    assert worst_microbatch(longest_sample=205_280, tokens_per_gpu=9_216) == 205_280
    assert worst_microbatch(longest_sample=4_096, tokens_per_gpu=9_216) == 9_216
    assert worst_microbatch(longest_sample=205_280, tokens_per_gpu=9_216, context_parallel=4) == 51_320
    assert worst_microbatch(longest_sample=4_096, micro_batch_size=4) == 16_384

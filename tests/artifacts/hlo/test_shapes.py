"""Shapes as HLO prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.artifacts.hlo.shapes import arrays_of, bytes_of, elements_of


@pytest.mark.parametrize(
    ("text", "dtype", "dimensions", "space", "size"),
    [
        ("bf16[32,4096]{1,0:T(8,128)(2,1)}", "bf16", (32, 4096), 0, 262144),
        ("f32[8,128]{1,0:T(8,128)S(1)}", "f32", (8, 128), 1, 4096),
        ("bf16[4,16]{1,0:T(8,128)(2,1)S(5)}", "bf16", (4, 16), 5, 128),
        ("s32[]", "s32", (), 0, 4),
        ("s4[7]{0}", "s4", (7,), 0, 4),
        ("f8e4m3fn[3]", "f8e4m3fn", (3,), 0, 3),
    ],
)
def test_array(text: str, dtype: str, dimensions: tuple[int, ...], space: int, size: int) -> None:
    """Type, dimensions, memory space and unpadded bytes are read from one shape."""
    (array,) = arrays_of(text)
    assert (array.dtype, array.dimensions, array.space, array.bytes) == (dtype, dimensions, space, size)


def test_tuple_elements_keep_their_layouts() -> None:
    """A tuple splits at its own commas only, index comments dropped."""
    text = "((f32[2]{0:T(128)}, s32[]), bf16[2,3]{1,0:T(8,128)(2,1)}, /*index=2*/u32[]{:S(2)})"
    assert elements_of(text) == ("(f32[2]{0:T(128)}, s32[])", "bf16[2,3]{1,0:T(8,128)(2,1)}", "u32[]{:S(2)}")
    assert bytes_of(text) == 8 + 4 + 12 + 4


def test_tokens_and_nonsense_are_no_arrays() -> None:
    """A token and words that look like a type give nothing."""
    assert arrays_of("token[]")[0].bytes == 0
    assert arrays_of("widget[3]") == ()


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    """No text makes the shape readers raise."""
    arrays_of(text)
    elements_of(text)

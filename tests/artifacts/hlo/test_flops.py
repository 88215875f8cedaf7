"""FLOPs of dots and of the convolutions that TPU makes of them."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.artifacts.hlo.flops import flops_of
from tpuguru.artifacts.hlo.module import Instruction


def instruction(opcode: str, out: str, left: str, right: str, attributes: str) -> Instruction:
    """Return an instruction with two operands."""
    return Instruction("x", opcode, out, ("a", "b"), (left, right), attributes, "main")


def test_dot() -> None:
    """A dot costs two FLOPs for each output element and contracted element."""
    dot = instruction(
        "dot", "f32[4,8]", "f32[4,16]", "f32[16,8]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    )
    assert flops_of(dot) == 2 * 4 * 8 * 16


def test_plain_matrix_product_as_convolution() -> None:
    """bf_io->bf is a matrix product."""
    convolution = instruction("convolution", "bf16[4,8]", "bf16[4,16]", "bf16[16,8]", "dim_labels=bf_io->bf")
    assert flops_of(convolution) == 2 * 4 * 8 * 16


def test_padded_window_counts_real_input_only() -> None:
    """A head dimension written as a padded window costs what the matrix product costs, not the padding."""
    heads = instruction(
        "convolution",
        "bf16[3,64,32,128]{3,1,2,0}",
        "bf16[3,64,1,256]",
        "bf16[256,1,32,128]",
        "window={size=1x32 pad=0_0x31_31 rhs_reversal=0x1}, dim_labels=b01f_i01o->b01f",
    )
    # 32 heads: each output position meets exactly one kernel position that is not padding.
    assert flops_of(heads) == 2 * 3 * 64 * 256 * 32 * 128


@pytest.mark.parametrize(
    "attributes", ["", "dim_labels=bf_io->b", "dim_labels=nonsense", "dim_labels=bf_0o->bf"]
)
def test_unreadable_convolution_is_unknown(attributes: str) -> None:
    """A convolution whose labels are missing or wrong has unknown FLOPs, not zero."""
    assert flops_of(instruction("convolution", "f32[4,8]", "f32[4,16]", "f32[16,8]", attributes)) is None


def brute(inputs: int, size: int, stride: int, pad: int, base: int, dilation: int) -> tuple[int, int]:
    """Return the output size and the taps on real input, position by position."""
    spread = (inputs - 1) * base + 1
    outputs = (spread + 2 * pad - ((size - 1) * dilation + 1)) // stride + 1
    taps = sum(
        0 <= (place := out * stride - pad + tap * dilation) < spread and place % base == 0
        for out, tap in product(range(max(outputs, 0)), range(size))
    )
    return outputs, taps


@given(
    st.integers(1, 9),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(0, 4),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_window_arithmetic_equals_counting(
    inputs: int, size: int, stride: int, pad: int, base: int, dilation: int
) -> None:
    """For any window the closed form equals counting the kernel positions that meet real input."""
    outputs, taps = brute(inputs, size, stride, pad, base, dilation)
    if outputs < 1:
        return
    window = f"size={size} stride={stride} pad={pad}_{pad} lhs_dilate={base} rhs_dilate={dilation}"
    convolution = instruction(
        "convolution",
        f"f32[2,{outputs},5]",
        f"f32[2,{inputs},3]",
        f"f32[{size},3,5]",
        f"window={{{window}}}, dim_labels=b0f_0io->b0f",
    )
    assert flops_of(convolution) == 2 * 2 * 3 * 5 * taps

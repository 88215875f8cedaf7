"""FLOPs of dots and convolutions, counted as XLA's own cost analysis counts them."""

import re
from dataclasses import dataclass
from math import prod

from tpuguru.artifacts.hlo.module import Instruction
from tpuguru.artifacts.hlo.shapes import arrays_of

_LABELS = re.compile(r"^([0-9bf]+)_([0-9io]+)->([0-9bf]+)$")
_MOST_TAPS = 1 << 16  # kernel positions looked at one by one


def flops_of(instruction: Instruction) -> int | None:
    """Return the FLOPs of one execution (a multiply-add is two); None when the text does not tell.

    Source of both formulas: xla/service/hlo_cost_analysis.cc, HandleDot and HandleConvolution. TPU turns dots
    into convolutions whose spatial dimensions are padded, so only taps that land on real input are counted.
    """
    shapes = [arrays_of(text) for text in (instruction.shape, *instruction.operand_shapes[:2])]
    if len(shapes) < 3 or not all(shapes):
        return None
    result, left, right = (arrays[0].dimensions for arrays in shapes)
    if instruction.opcode == "dot":
        contracting = _ints(instruction.attribute("lhs_contracting_dims"))
        if any(axis >= len(left) for axis in contracting):
            return None
        return 2 * prod(result) * prod(left[axis] for axis in contracting)
    if instruction.opcode == "ragged-dot":
        # Each row meets one group's matrix: rows × contracted × columns.
        return 2 * prod(result) * left[-1]
    return _convolution(instruction, result, left, right)


def _convolution(
    instruction: Instruction, result: tuple[int, ...], left: tuple[int, ...], right: tuple[int, ...]
) -> int | None:
    labels = _LABELS.match(instruction.attribute("dim_labels"))
    if labels is None:
        return None
    lhs, rhs, out = labels.groups()
    spatial = {label for label in lhs if label.isdigit()}
    if any(
        set(present) != spatial | set(letters) or len(present) != len(dimensions)
        for present, letters, dimensions in ((lhs, "bf", left), (rhs, "io", right), (out, "bf", result))
    ):
        return None
    groups = int(instruction.attribute("feature_group_count") or 1)
    batches = int(instruction.attribute("batch_group_count") or 1)
    window = _window(instruction.attribute("window"), sum(label.isdigit() for label in lhs))
    taps = 1
    for dimension in window:
        position = str(dimension.index)
        if right[rhs.index(position)] != dimension.size:
            return None
        taps *= _valid_taps(dimension, left[lhs.index(position)], result[out.index(position)])
    return (
        2
        * (left[lhs.index("f")] // groups)
        * right[rhs.index("o")]
        * (left[lhs.index("b")] // batches)
        * taps
    )


@dataclass(frozen=True, slots=True)
class _WindowDimension:
    index: int
    size: int = 1
    stride: int = 1
    pad_low: int = 0
    base_dilation: int = 1
    window_dilation: int = 1


def _window(text: str, dimensions: int) -> list[_WindowDimension]:
    fields = dict(re.findall(r"(\w+)=([\dx_\-]+)", text))

    def numbers(name: str, default: int) -> list[int]:
        parts = fields.get(name, "").split("x") if name in fields else []
        values = [int(part.split("_")[0]) for part in parts if part.split("_")[0].lstrip("-").isdigit()]
        return values if len(values) == dimensions else [default] * dimensions

    sizes, strides, pads = numbers("size", 1), numbers("stride", 1), numbers("pad", 0)
    bases, windows = numbers("lhs_dilate", 1), numbers("rhs_dilate", 1)
    return [
        _WindowDimension(i, sizes[i], strides[i], pads[i], bases[i], windows[i]) for i in range(dimensions)
    ]


def _valid_taps(dimension: _WindowDimension, inputs: int, outputs: int) -> int:
    """Count pairs of kernel and output position that read a real input element, not padding or a hole."""
    if dimension.size > _MOST_TAPS:
        return dimension.size * outputs
    total = 0
    last = (inputs - 1) * dimension.base_dilation
    for tap in range(dimension.size):
        offset = tap * dimension.window_dilation - dimension.pad_low
        low = max(0, -(offset // dimension.stride))
        high = min(outputs - 1, (last - offset) // dimension.stride)
        if high < low:
            continue
        if dimension.base_dilation == 1:
            total += high - low + 1
        else:
            total += sum(
                (output * dimension.stride + offset) % dimension.base_dilation == 0
                for output in range(low, high + 1)
            )
    return total


def _ints(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", text)]

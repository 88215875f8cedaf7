"""``tpu.matmul``: products of matrices with any dimension numbers, accumulated in f32 (or i32)."""

import math
import re

from .libraries import Foreign, np
from .translate import Pure, pure

type Numbers = list[tuple[int, ...]]
"""Contracting of left and right, other of left and right, order of the result, batch of left and right."""


@pure("tpu.matmul")
def _matmul(operation: Foreign) -> Pure:
    attributes = operation.attributes
    if "dimension_numbers" not in attributes:
        return _plain(
            transpose_left=attributes["transpose_lhs"].value,
            transpose_right=attributes["transpose_rhs"].value,
        )
    text = str(attributes["dimension_numbers"])
    lists = [tuple(int(n) for n in re.findall(r"\d+", part)) for part in re.findall(r"\[([\d, ]*)\]", text)]
    return lambda left, right, start: _accumulate(_contract(left, right, lists), start)


def _plain(*, transpose_left: bool, transpose_right: bool) -> Pure:
    def product(left: Foreign, right: Foreign, start: Foreign) -> Foreign:
        first = _operand(left).T if transpose_left else _operand(left)
        second = _operand(right).T if transpose_right else _operand(right)
        return _accumulate(first @ second, start)

    return product


def _operand(value: Foreign) -> Foreign:
    whole = np.issubdtype(value.dtype, np.integer)
    return value.astype(np.int32 if whole else np.float32, copy=False)


def _accumulate(product: Foreign, start: Foreign) -> Foreign:
    return (product + start.astype(product.dtype, copy=False)).astype(start.dtype, copy=False)


def _contract(left: Foreign, right: Foreign, numbers: Numbers) -> Foreign:
    """Contract as one batched matrix product, then put the dimensions of the result in order."""
    left_sum, right_sum, left_other, right_other, order, left_batch, right_batch = numbers
    batch = [left.shape[d] for d in left_batch]
    rows, columns = [left.shape[d] for d in left_other], [right.shape[d] for d in right_other]
    inner = math.prod(left.shape[d] for d in left_sum)
    first = _operand(left).transpose(left_batch + left_other + left_sum)
    second = _operand(right).transpose(right_batch + right_sum + right_other)
    product = first.reshape(*batch, math.prod(rows), inner) @ second.reshape(
        *batch, inner, math.prod(columns)
    )
    shaped = product.reshape(*batch, *rows, *columns)
    return shaped.transpose(_positions(order, left_batch + left_other, right_other))


def _positions(order: tuple[int, ...], of_left: tuple[int, ...], of_right: tuple[int, ...]) -> list[int]:
    """Say where each dimension of the result lies. ``order`` has pairs: operand (0 or 1), its dimension."""
    pairs = zip(order[::2], order[1::2], strict=True)
    return [
        of_left.index(dimension) if operand == 0 else len(of_left) + of_right.index(dimension)
        for operand, dimension in pairs
    ]

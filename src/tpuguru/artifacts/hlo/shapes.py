"""Shapes as HLO prints them: element type, dimensions, layout with tiles, memory space."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

# Bits an element takes in memory (xla/shape_util: sub-byte types are packed on TPU).
_BITS = {
    "pred": 8, "token": 0, "opaque": 0,
    "s1": 1, "u1": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4,
    "s8": 8, "u8": 8, "s16": 16, "u16": 16, "s32": 32, "u32": 32, "s64": 64, "u64": 64,
    "f4e2m1fn": 4, "f8e3m4": 8, "f8e4m3": 8, "f8e4m3fn": 8, "f8e4m3b11fnuz": 8, "f8e4m3fnuz": 8,
    "f8e5m2": 8, "f8e5m2fnuz": 8, "f8e8m0fnu": 8,
    "bf16": 16, "f16": 16, "f32": 32, "f64": 64, "c64": 64, "c128": 128,
}  # fmt: skip

_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([0-9,<=? ]*)\](?:\{([^{}]*)\})?")
_TILE = re.compile(r":T\((\d+(?:,\d+)*)\)")
_ORDER = re.compile(r"(\d+(?:,\d+)*):")
_SPACE = re.compile(r"S\((\d+)\)")
HOST_SPACES = frozenset({5})  # S(5) is pinned host memory in TPU layouts
FP8_TYPES = frozenset(name for name in _BITS if name.startswith("f8"))
INT8_TYPES = frozenset({"s8", "u8", "s4", "u4"})


@dataclass(frozen=True)
class Array:
    """One array shape. ``layout`` is the text in braces; ``space`` the number in ``S(n)``, 0 = device HBM."""

    dtype: str
    dimensions: tuple[int, ...]
    layout: str = ""

    @cached_property
    def space(self) -> int:
        """Memory space: 0 HBM, 1 VMEM, 2 SMEM, 5 host; others belong to SparseCore and sync flags."""
        found = _SPACE.search(self.layout)
        return int(found[1]) if found else 0

    @property
    def elements(self) -> int:
        """Number of elements, without padding."""
        return prod(self.dimensions)

    @property
    def bytes(self) -> int:
        """Bytes of the elements alone, without tile padding, rounded up to a whole byte."""
        return -(-self.elements * _BITS.get(self.dtype, 8) // 8)

    @property
    def padded_bytes(self) -> int:
        """Bytes with the padding of the layout's first tile; later tiles divide it and add nothing."""
        tile = _TILE.search(self.layout)
        order = _ORDER.match(self.layout)
        if not tile or not order:
            return self.bytes
        sizes = [int(size) for size in tile[1].split(",")]
        minor_first = [self.dimensions[int(axis)] for axis in order[1].split(",")]
        for place, size in enumerate(reversed(sizes)):
            if place < len(minor_first):
                minor_first[place] = -(-minor_first[place] // size) * size
            else:
                minor_first.append(size)
        return -(-prod(minor_first) * _BITS.get(self.dtype, 8) // 8)

    @property
    def text(self) -> str:
        """The shape without its layout, e.g. ``bf16[32,4096]``."""
        return f"{self.dtype}[{','.join(map(str, self.dimensions))}]"


@lru_cache(maxsize=8192)
def arrays_of(text: str) -> tuple[Array, ...]:
    """Return every array in a shape text, flattened; ``()`` for tokens and for text that is no shape."""
    return tuple(
        Array(dtype, _dimensions(dimensions), layout)
        for dtype, dimensions, layout in _ARRAY.findall(text)
        if dtype in _BITS
    )


def _dimensions(text: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


@lru_cache(maxsize=1024)
def elements_of(text: str) -> tuple[str, ...]:
    """Split a tuple shape into the texts of its elements; an array shape is its own only element."""
    if not text.startswith("("):
        return (text,)
    parts, depth, start = [], 0, 1
    for position, character in enumerate(text):
        if character in "({[":
            depth += 1
        elif character in ")}]":
            depth -= 1
            if depth == 0:
                parts.append(text[start:position])
                break
        elif character == "," and depth == 1:
            parts.append(text[start:position])
            start = position + 1
    return tuple(re.sub(r"/\*.*?\*/", "", part).strip() for part in parts if part.strip())


def bytes_of(text: str) -> int:
    """Return the bytes of all arrays in a shape text, without padding."""
    return sum(array.bytes for array in arrays_of(text))

"""Element types: the numbers that the PJRT ABI gives them, numpy's names and MLIR's."""

import re
from importlib import import_module
from typing import Any

type Foreign = Any
"""An object of the user's own jax or numpy, whose types we do not have."""

TOKEN = 23

_NUMPY_NAMES = (
    *("", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn"),
    *("float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "int4", "uint4", "", "int2", "uint2"),
    *("float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn"),
)

_MLIR_NAMES = (
    *("", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64", "bf16"),
    *("complex<f32>", "complex<f64>", "f8E5M2", "f8E4M3FN", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E4M3FNUZ"),
    *("i4", "ui4", "", "i2", "ui2", "f8E4M3", "f8E3M4", "f8E8M0FNU", "f4E2M1FN"),
)


def kind_of(kind: Foreign) -> tuple[int, list[int]]:
    """Return the element type's number and the dimensions of ``tensor<2x3xf32>``."""
    found = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", str(kind))
    if found is None:
        raise ValueError(f"{kind} is no array type")
    sizes, element = found[1], found[2]
    return _MLIR_NAMES.index(element), [int(size) for size in sizes.split("x") if size]


def dtype_of(kind: int) -> Foreign:
    """Return numpy's type of an element type's number."""
    numpy, types = import_module("numpy"), import_module("ml_dtypes")
    name = _NUMPY_NAMES[kind]
    return numpy.dtype(getattr(types, name)) if hasattr(types, name) else numpy.dtype(name)

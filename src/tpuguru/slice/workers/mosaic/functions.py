"""Dialect ``math`` (https://mlir.llvm.org/docs/Dialects/MathOps) and the functions that ``tpu`` adds."""

import math

from .libraries import Foreign, Refusal, np
from .translate import each_named

_ERF = np.vectorize(math.erf, otypes=[np.float64])


def _round(value: Foreign) -> Foreign:
    """Round to the nearest whole number, halves away from zero."""
    return np.copysign(np.floor(np.abs(value) + value.dtype.type(0.5)), value)


def _leading_zeros(value: Foreign) -> Foreign:
    """Count the zeros above the highest set bit. The exponent of a double is exact up to 53 bits."""
    if value.dtype.itemsize > 4:
        raise Refusal("math.ctlz of 64 bits")
    _, exponent = np.frexp(value.view(f"u{value.dtype}").astype(np.float64))
    return (8 * value.dtype.itemsize - exponent).astype(value.dtype)


def _counted(value: Foreign) -> Foreign:
    return np.bitwise_count(value.view(f"u{value.dtype}")).astype(value.dtype)


each_named(
    {
        "math.absf": np.abs,
        "math.absi": np.abs,
        "math.atan2": np.arctan2,
        "math.ceil": np.ceil,
        "math.copysign": np.copysign,
        "math.cos": np.cos,
        "math.ctlz": _leading_zeros,
        "math.ctpop": _counted,
        "math.erf": lambda value: _ERF(value.astype(np.float64)).astype(value.dtype),
        "math.exp": np.exp,
        "math.exp2": np.exp2,
        "math.expm1": np.expm1,
        "math.floor": np.floor,
        "math.fma": lambda a, b, c: a * b + c,
        "math.log": np.log,
        "math.log1p": np.log1p,
        "math.log2": np.log2,
        "math.powf": np.power,
        "math.round": _round,
        "math.roundeven": np.rint,
        "math.rsqrt": lambda value: (1 / np.sqrt(value)).astype(value.dtype),
        "math.sin": np.sin,
        "math.sqrt": np.sqrt,
        "math.tan": np.tan,
        "math.tanh": np.tanh,
        "tpu.logistic": lambda value: (1 / (1 + np.exp(-value))).astype(value.dtype),
        "tpu.reciprocal": lambda value: (1 / value).astype(value.dtype),
        "tpu.weird": lambda value: ~np.isfinite(value),
    }
)

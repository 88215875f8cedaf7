"""Dialect ``arith`` (https://mlir.llvm.org/docs/Dialects/ArithOps) and the conversions of ``tpu``.

Integers wrap around; whether one is signed is a matter of the operation. Division of integers truncates.
"""

from .libraries import Foreign, Refusal, np
from .translate import Pure, each_named, pure
from .types import shape_and_dtype


def unsigned(value: Foreign) -> Foreign:
    """Return the same bits as an unsigned number."""
    return value if value.dtype == bool else value.view(f"u{value.dtype}")


def _divide(left: Foreign, right: Foreign) -> Foreign:
    quotient = left // right
    inexact = (left % right != 0) & ((left < 0) != (right < 0))
    return (quotient + inexact).astype(left.dtype)


def _as_unsigned(function: Pure) -> Pure:
    return lambda left, right: function(unsigned(left), unsigned(right)).view(left.dtype)


def _extended(left: Foreign, right: Foreign, wide: str) -> tuple[Foreign, Foreign]:
    """Return the lower and the upper half of a product of 32-bit numbers."""
    whole = left.astype(wide) * right.astype(wide)
    return whole.astype(np.int32), (whole >> 32).astype(np.int32)


each_named(
    {
        "arith.addi": lambda a, b: a ^ b if a.dtype == bool else a + b,
        "arith.subi": lambda a, b: a ^ b if a.dtype == bool else a - b,
        "arith.muli": lambda a, b: a * b,
        "arith.divsi": _divide,
        "arith.divui": _as_unsigned(lambda a, b: a // b),
        "arith.remsi": np.fmod,
        "arith.remui": _as_unsigned(np.fmod),
        "arith.floordivsi": lambda a, b: a // b,
        "arith.ceildivsi": lambda a, b: -(-a // b),
        "arith.andi": np.bitwise_and,
        "arith.ori": np.bitwise_or,
        "arith.xori": np.bitwise_xor,
        "arith.shli": np.left_shift,
        "arith.shrsi": np.right_shift,
        "arith.shrui": _as_unsigned(np.right_shift),
        "arith.maxsi": np.maximum,
        "arith.minsi": np.minimum,
        "arith.maxui": _as_unsigned(np.maximum),
        "arith.minui": _as_unsigned(np.minimum),
        "arith.mulsi_extended": lambda a, b: _extended(a, b, "int64"),
        "arith.mului_extended": lambda a, b: _extended(unsigned(a), unsigned(b), "uint64"),
        "arith.addf": lambda a, b: a + b,
        "arith.subf": lambda a, b: a - b,
        "arith.mulf": lambda a, b: a * b,
        "arith.divf": lambda a, b: a / b,
        "arith.remf": np.fmod,
        "arith.negf": np.negative,
        "arith.maximumf": np.maximum,
        "arith.minimumf": np.minimum,
        "arith.maxnumf": np.fmax,
        "arith.minnumf": np.fmin,
        "arith.select": lambda c, a, b: np.where(c, a, b) if np.ndim(c) else (a if c else b),
    }
)

_SIGNED = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
_UNSIGNED = (np.less, np.less_equal, np.greater, np.greater_equal)


@pure("arith.cmpi")
def _compare_integers(operation: Foreign) -> Pure:
    """Predicates in the dialect's order: eq, ne, four signed, four unsigned."""
    predicate = operation.attributes["predicate"].value
    if predicate < len(_SIGNED):
        compare: Pure = _SIGNED[predicate]
        return compare
    compare_bits = _UNSIGNED[predicate - len(_SIGNED)]
    return lambda a, b: compare_bits(unsigned(a), unsigned(b))


_ORDERED = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)


@pure("arith.cmpf")
def _compare_floats(operation: Foreign) -> Pure:
    """Predicates in the dialect's order: false, six ordered, ord, six unordered, uno, true."""
    predicate = operation.attributes["predicate"].value

    def unordered(a: Foreign, b: Foreign) -> Foreign:
        return np.isnan(a) | np.isnan(b)

    if predicate in (0, 15):
        return lambda a, _: np.full(np.shape(a), predicate == 15)
    if predicate in (7, 14):
        return lambda a, b: unordered(a, b) == (predicate == 14)
    compare = _ORDERED[(predicate - 1) % 7]
    if predicate < 7:
        return lambda a, b: compare(a, b) & ~unordered(a, b)
    return lambda a, b: compare(a, b) | unordered(a, b)


@pure("arith.extsi", "arith.extf", "arith.truncf", "arith.sitofp", "arith.index_cast", "tpu.extf")
def _convert(operation: Foreign) -> Pure:
    dtype = shape_and_dtype(operation.results[0].type)[1]
    if operation.name == "arith.extsi" and shape_and_dtype(operation.operands[0].type)[1].kind == "b":
        return lambda value: -value.astype(dtype)  # a set bit is -1
    return lambda value: value.astype(dtype)


@pure("tpu.truncf", "tpu.sitofp")
def _convert_rounding(operation: Foreign) -> Pure:
    if "to_nearest_even" not in str(operation.attributes["rounding_mode"]):
        raise Refusal(f"{operation.name} that rounds by {operation.attributes['rounding_mode']}")
    return _convert(operation)


@pure("arith.extui", "arith.uitofp", "tpu.uitofp", "arith.index_castui")
def _convert_unsigned(operation: Foreign) -> Pure:
    dtype = shape_and_dtype(operation.results[0].type)[1]
    return lambda value: unsigned(value).astype(dtype)


@pure("arith.trunci")
def _truncate(operation: Foreign) -> Pure:
    dtype = shape_and_dtype(operation.results[0].type)[1]
    if dtype.kind == "b":
        return lambda value: (value & 1).astype(bool)
    return lambda value: value.astype(dtype)


_ROUNDINGS = {"towards_zero": np.trunc, "to_nearest_even": np.rint}


@pure("arith.fptosi", "arith.fptoui", "tpu.fptosi", "tpu.fptoui")
def _to_integer(operation: Foreign) -> Pure:
    """Numbers that do not fit are clamped, as the TPU does; for ``arith`` they are poison."""
    dtype = shape_and_dtype(operation.results[0].type)[1]
    signed = operation.name.endswith("si")
    limits = np.iinfo(dtype if signed else f"u{dtype}")
    mode = str(operation.attributes["rounding_mode"]) if "rounding_mode" in operation.attributes else ""
    rounding = next((each for name, each in _ROUNDINGS.items() if name in mode), np.trunc)

    def convert(value: Foreign) -> Foreign:
        whole = np.nan_to_num(rounding(value.astype(np.float64)))
        return np.clip(whole, limits.min, limits.max).astype(limits.dtype).view(dtype)

    return convert


@pure("arith.bitcast")
def _same_bits(operation: Foreign) -> Pure:
    dtype = shape_and_dtype(operation.results[0].type)[1]
    return lambda value: value.view(dtype)

"""Dialect ``vector`` (https://mlir.llvm.org/docs/Dialects/Vector) and the vector operations of ``tpu``."""

import re

from .libraries import Foreign, Refusal, np
from .packing import repack
from .translate import Pure, each_named, pure
from .types import integers, shape_and_dtype


@pure("vector.broadcast", "vector.splat")
def _broadcast(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.results[0].type)[0]
    return lambda value: np.broadcast_to(value, shape)


@pure("vector.shape_cast", "tpu.reshape", "tpu.shape_cast")
def _reshape(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.results[0].type)[0]
    return lambda value: value.reshape(shape)


@pure("vector.transpose", "tpu.transpose")
def _transpose(operation: Foreign) -> Pure:
    order = integers(operation.attributes["permutation"])
    return lambda value: np.transpose(value, order)


_REDUCTIONS = {
    "add": np.add,
    "sum": np.add,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "max": np.maximum,
    "min": np.minimum,
}


def _reduction(operation: Foreign) -> Foreign:
    found = re.search(r"<(\w+)>", str(operation.attributes["kind"]))
    kind = found[1] if found else str(operation.attributes["kind"])
    if kind not in _REDUCTIONS:
        raise Refusal(f"reduction {kind}")
    return _REDUCTIONS[kind]


def _wide(value: Foreign) -> Foreign:
    """Return floats of less than 32 bits as f32: sums are not rounded at every step."""
    narrow = value.dtype.itemsize < 4 and not np.issubdtype(value.dtype, np.integer) and value.dtype != bool
    return value.astype(np.float32) if narrow else value


@pure("vector.multi_reduction")
def _reduce(operation: Foreign) -> Pure:
    combine, axes = _reduction(operation), integers(operation.attributes["reduction_dims"])

    def reduce(value: Foreign, start: Foreign) -> Foreign:
        result = combine.reduce(_wide(value), axis=axes, dtype=_wide(value).dtype)
        return combine(result, _wide(start)).astype(value.dtype)

    return reduce


@pure("tpu.reduce")
def _reduce_keeping(operation: Foreign) -> Pure:
    """As ``vector.multi_reduction``, with the reduced dimensions kept as 1 and nothing to start from."""
    combine, axes = _reduction(operation), integers(operation.attributes["dimensions"])
    return lambda value: combine.reduce(
        _wide(value), axis=axes, keepdims=True, dtype=_wide(value).dtype
    ).astype(value.dtype)


@pure("tpu.reduce_index")
def _reduce_index(operation: Foreign) -> Pure:
    axis = operation.attributes["axis"].value
    find = np.argmax if "max" in str(operation.attributes["kind"]) else np.argmin
    dtype = shape_and_dtype(operation.results[0].type)[1]
    return lambda value: find(value, axis=axis).astype(dtype)


@pure("vector.extract")
def _extract(operation: Foreign) -> Pure:
    static = integers(operation.attributes["static_position"])
    if len(operation.operands) > 1:
        raise Refusal("vector.extract at a position that is computed")
    return lambda value: value[static]


@pure("vector.extract_strided_slice")
def _slice(operation: Foreign) -> Pure:
    names = ("offsets", "sizes", "strides")
    bounds = zip(*(integers(operation.attributes[name]) for name in names), strict=True)
    where = tuple(slice(start, start + size * by, by) for start, size, by in bounds)
    return lambda value: value[where]


@pure("vector.insert_strided_slice")
def _insert(operation: Foreign) -> Pure:
    offsets = integers(operation.attributes["offsets"])
    shape = shape_and_dtype(operation.operands[0].type)[0]
    lead = len(offsets) - len(shape)
    where = (
        *offsets[:lead],
        *(slice(start, start + size) for start, size in zip(offsets[lead:], shape, strict=True)),
    )

    def insert(part: Foreign, whole: Foreign) -> Foreign:
        result = whole.copy()
        result[where] = part
        return result

    return insert


@pure("tpu.concatenate")
def _concatenate(operation: Foreign) -> Pure:
    axis = operation.attributes["dimension"].value
    return lambda *parts: np.concatenate(parts, axis=axis)


@pure("tpu.repeat")
def _repeat(operation: Foreign) -> Pure:
    axis, times = operation.attributes["dimension"].value, operation.attributes["times"].value
    return lambda value: np.concatenate([value] * times, axis=axis)


@pure("tpu.iota")
def _iota(operation: Foreign) -> Pure:
    """Count along dimensions, of which the last runs fastest."""
    shape, dtype = shape_and_dtype(operation.results[0].type)
    dimensions = integers(operation.attributes["dimensions"])
    counted = np.zeros(shape, dtype)
    for dimension in dimensions:
        along = np.arange(shape[dimension], dtype=dtype)
        counted = counted * shape[dimension] + along.reshape(
            [-1 if i == dimension else 1 for i in range(len(shape))]
        )
    counted = counted.astype(dtype)
    return lambda: counted


@pure("vector.step")
def _step(operation: Foreign) -> Pure:
    shape, dtype = shape_and_dtype(operation.results[0].type)
    counted = np.arange(shape[0], dtype=dtype)
    return lambda: counted


@pure("tpu.dynamic_rotate")
def _rotate(operation: Foreign) -> Pure:
    """Rotate towards higher indices; with a stride, more for every index along another dimension."""
    attributes = operation.attributes
    axis = attributes["dimension"].value
    if "stride" not in attributes or not attributes["stride"].value:
        return lambda value, amount: np.roll(value, int(amount), axis=axis)
    stride, along = attributes["stride"].value, attributes["stride_dimension"].value

    def rotate(value: Foreign, amount: Foreign) -> Foreign:
        size = value.shape[axis]
        indices = np.indices(value.shape, sparse=True)
        source = (indices[axis] - int(amount) - stride * indices[along]) % size
        return np.take_along_axis(value, np.broadcast_to(source, value.shape), axis=axis)

    return rotate


@pure("tpu.dynamic_gather")
def _gather(operation: Foreign) -> Pure:
    dimensions = integers(operation.attributes["dimensions"])
    if len(dimensions) != 1:
        raise Refusal("tpu.dynamic_gather over several dimensions")
    axis = dimensions[0]
    return lambda source, indices: np.take_along_axis(source, indices % source.shape[axis], axis=axis)


@pure("tpu.bitcast", "vector.bitcast")
def _bitcast(operation: Foreign) -> Pure:
    shape, dtype = shape_and_dtype(operation.results[0].type)
    old = shape_and_dtype(operation.operands[0].type)[1]
    if old.itemsize == dtype.itemsize:
        return lambda value: np.ascontiguousarray(value).view(dtype)
    if operation.name == "vector.bitcast":
        raise Refusal("vector.bitcast between sizes")
    return lambda value: repack(value, dtype).reshape(shape)


each_named({"tpu.assume_multiple": lambda value: value, "tpu.mask_cast": lambda value: value})

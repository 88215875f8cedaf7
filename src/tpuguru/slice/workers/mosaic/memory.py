"""Memory references: loads, stores and views (dialect ``memref`` and the references of ``tpu``).

A reference is a numpy array whose views share its memory; only a bitcast reference is computed on access.
"""

from .libraries import Foreign, Refusal, np
from .packing import repack
from .translate import Pure, Step, Translator, Values, each_named, pure, step
from .types import integers, shape_and_dtype, uninitialised


class Packed:
    """A reference to narrow elements as words: [R, C] of 16 bits is [R / 2, C] of 32 bits."""

    def __init__(self, base: Foreign, shape: tuple[int, ...], dtype: Foreign) -> None:
        """See ``base`` as another type."""
        self.base, self.shape, self.dtype = base, shape, dtype

    def __getitem__(self, where: Foreign) -> Foreign:
        """Read words."""
        return repack(self.base, self.dtype).reshape(self.shape)[where]

    def __setitem__(self, where: Foreign, value: Foreign) -> None:
        """Write words."""
        words = repack(self.base, self.dtype).reshape(self.shape).copy()
        words[where] = value
        self.base[...] = repack(words, self.base.dtype).reshape(self.base.shape)


def _window(reference: Foreign, start: Foreign, shape: tuple[int, ...], strides: tuple[int, ...]) -> Foreign:
    """Return the slices for ``shape`` elements from ``start`` on. Refusal when some are not there."""
    if reference.shape == shape and not any(start):
        return ...
    lead = len(reference.shape) - len(shape)
    where: list[int | slice] = [int(index) for index in start[:lead]]
    inside = all(0 <= int(index) < size for index, size in zip(start[:lead], reference.shape, strict=False))
    for index, size, by, whole in zip(start[lead:], shape, strides, reference.shape[lead:], strict=True):
        first = int(index)
        end = first + (size - 1) * by + 1
        inside = inside and first >= 0 and end <= whole
        where.append(slice(first, end, by))
    if not inside:
        raise Refusal("it reads or writes outside a memory reference")
    return tuple(where)


def _strides(operation: Foreign, rank: int) -> tuple[int, ...]:
    given = integers(operation.attributes["strides"]) if "strides" in operation.attributes else ()
    return given or (1,) * rank


def _segments(operation: Foreign) -> list[int]:
    """Return how many operands each of the operation's groups has."""
    return list(integers(operation.attributes["operandSegmentSizes"]))


@pure("vector.load", "tpu.strided_load")
def _load(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.results[0].type)[0]
    strides = _strides(operation, len(shape))
    return lambda reference, *start: np.array(reference[_window(reference, start, shape, strides)])


@pure("tpu.vector_load")
def _masked_load(operation: Foreign) -> Pure:
    shape, dtype = shape_and_dtype(operation.results[0].type)
    strides, masked = _strides(operation, len(shape)), _segments(operation)[-1]

    def load(reference: Foreign, *rest: Foreign) -> Foreign:
        start, mask = (rest[:-1], rest[-1]) if masked else (rest, None)
        loaded = np.array(reference[_window(reference, start, shape, strides)])
        return loaded if mask is None else np.where(mask, loaded, uninitialised(shape, dtype))

    return load


@pure("vector.store", "tpu.strided_store")
def _store(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.operands[0].type)[0]
    strides = _strides(operation, len(shape))

    def store(value: Foreign, reference: Foreign, *start: Foreign) -> None:
        reference[_window(reference, start, shape, strides)] = value

    return store


@pure("tpu.vector_store")
def _masked_store(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.operands[0].type)[0]
    strides, masked = _strides(operation, len(shape)), _segments(operation)[-1]
    adds = "add" in operation.attributes and operation.attributes["add"].value

    def store(value: Foreign, reference: Foreign, *rest: Foreign) -> None:
        start, mask = (rest[:-1], rest[-1]) if masked else (rest, None)
        where = _window(reference, start, shape, strides)
        before = reference[where]
        after = (before + value).astype(value.dtype) if adds else value
        reference[where] = after if mask is None else np.where(mask, after, before)

    return store


@pure("memref.load")
def _load_scalar(operation: Foreign) -> Pure:  # noqa: ARG001 - the table's signature
    return lambda reference, *at: reference[_window(reference, at, (), ())]


@pure("memref.store")
def _store_scalar(operation: Foreign) -> Pure:  # noqa: ARG001 - the table's signature
    def store(value: Foreign, reference: Foreign, *at: Foreign) -> None:
        reference[_window(reference, at, (), ())] = value

    return store


@pure("tpu.memref_slice")
def _view(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.results[0].type)[0]
    ones = (1,) * len(shape)
    return lambda reference, *start: reference[_window(reference, start[: len(shape)], shape, ones)]


@pure("tpu.memref_squeeze", "tpu.memref_reshape")
def _reshape(operation: Foreign) -> Pure:
    shape = shape_and_dtype(operation.results[0].type)[0]

    def reshape(reference: Foreign) -> Foreign:
        view = reference.reshape(shape)
        if view.size and not np.shares_memory(view, reference):
            raise Refusal("it reshapes a part of a memory reference")
        return view

    return reshape


@pure("tpu.memref_bitcast")
def _bitcast(operation: Foreign) -> Pure:
    shape, dtype = shape_and_dtype(operation.results[0].type)

    def bitcast(reference: Foreign) -> Foreign:
        if reference.dtype.itemsize == dtype.itemsize:
            return reference.view(dtype).reshape(shape)
        return Packed(reference, shape, dtype)

    return bitcast


each_named(
    {
        "memref.cast": lambda reference: reference,
        "memref.memory_space_cast": lambda reference: reference,
        "tpu.erase_memref_layout": lambda reference: reference,
        "tpu.assume_layout": lambda reference: reference,
    }
)


@pure("memref.alloca", "tpu.sem_alloc")
def _allocate(operation: Foreign) -> Pure:
    shape, dtype = shape_and_dtype(operation.results[0].type)
    return lambda: uninitialised(shape, dtype)


@step("tpu.iteration_bound")
def _iteration_bound(translator: Translator, operation: Foreign) -> Step:
    dimension, result = operation.attributes["dim"].value, translator.slot(operation.results[0])

    def run(values: Values) -> None:
        values[result] = np.int32(translator.bounds[dimension])

    return run

"""MLIR's types and attributes as numpy's."""

import re

from .libraries import Foreign, Refusal, ir, ml_dtypes, np

_NAMES = {
    "i1": "bool",
    "index": "int64",
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "f8E5M2": "float8_e5m2",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},  # only outside kernels
}
_SEMAPHORES = ("!tpu.dma_semaphore", "!tpu.semaphore")
_SHAPED = re.compile(r"(?:vector|memref|tensor)<((?:\d+x)*)([^,>]+(?:<[^>]*>)?)(.*)>")


def dtype_of(element: str) -> Foreign:
    """Return numpy's element type. Types of less than a byte are refused."""
    if element in _SEMAPHORES:
        return np.dtype("int32")
    if element not in _NAMES:
        raise Refusal(f"element type {element}")
    name = _NAMES[element]
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def shape_and_dtype(kind: Foreign) -> tuple[tuple[int, ...], Foreign]:
    """Return the shape and the element type of a vector, memref or scalar type."""
    text = str(kind)
    found = _SHAPED.fullmatch(text)
    if found is None:
        return (), dtype_of(text)
    sizes, element = found[1], found[2]
    if "?" in text.partition(",")[0]:
        raise Refusal(f"type {text}, whose size is not known")
    return tuple(int(size) for size in sizes.split("x") if size), dtype_of(element)


def memory_space(kind: Foreign) -> str:
    """Return the memory space of a memref type: vmem, smem, any and so on."""
    found = re.search(r"#tpu\.memory_space<(\w+)", str(kind))
    return found[1] if found else "vmem"


def scalar(attribute: Foreign) -> int | float:
    """Return the number in an attribute."""
    value: int | float = attribute.value
    return value


def integers(attribute: Foreign) -> tuple[int, ...]:
    """Return the numbers in an array attribute of either kind."""
    return tuple(int(getattr(each, "value", each)) for each in attribute)


def constant(attribute: Foreign, kind: Foreign) -> Foreign:
    """Return a constant as a numpy scalar or array."""
    shape, dtype = shape_and_dtype(kind)
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return np.array(attribute).astype(dtype).reshape(shape)
        attribute = attribute.get_splat_value()
    value = scalar(attribute)
    return np.full(shape, value, dtype) if shape else dtype.type(value)


def uninitialised(shape: tuple[int, ...], dtype: Foreign) -> Foreign:
    """Return memory that nobody has written: NaN where the type has it, or 0."""
    whole = np.issubdtype(dtype, np.integer) or dtype == np.dtype(bool)
    return np.zeros(shape, dtype) if whole else np.full(shape, np.nan, dtype)

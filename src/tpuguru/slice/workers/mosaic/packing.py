"""How the TPU lays narrow types into 32-bit words: of neighbouring rows, the first in the lowest bits."""

from .libraries import Foreign, np


def repack(value: Foreign, dtype: Foreign) -> Foreign:
    """Return the same words as another type: [… R, C] becomes [… R * old size / new size, C]."""
    old, new = value.dtype.itemsize, dtype.itemsize
    *lead, rows, columns = value.shape
    if old < new:
        factor = new // old
        grouped = value.reshape(*lead, rows // factor, factor, columns)
        return np.ascontiguousarray(np.moveaxis(grouped, -2, -1)).view(dtype)[..., 0]
    factor = old // new
    split = np.ascontiguousarray(value)[..., None].view(dtype)
    return np.moveaxis(split, -1, -2).reshape(*lead, rows * factor, columns)

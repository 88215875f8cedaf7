"""Figures of a hostile file can be of any size; what leaves the reader fits a 64-bit integer."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

LARGEST = 2**62


def bounded[T](value: T) -> T:
    """Return the value with every integer in it, at any depth, cut to at most 2**62 in size."""
    return _bounded(value)  # type: ignore[return-value]


def _bounded(value: object) -> object:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return max(-LARGEST, min(LARGEST, value))
    if isinstance(value, tuple):
        return tuple(_bounded(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _bounded(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _bounded(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **changed)
    return value

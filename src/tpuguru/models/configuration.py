"""Typed reading of a configuration that anyone may have written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location

_LARGEST = 10**10  # of any size in a model; beyond it the file is not a model configuration
_MOST_LAYERS = 10_000


@dataclass(frozen=True, slots=True)
class Configuration:
    """Keys of a configuration, read with a type. ``title`` names the file in errors."""

    values: Mapping[str, Any]
    title: str
    location: Location | None = None

    def size(self, *keys: str, default: int | None = None) -> int:
        """Return the first of ``keys`` that is present, as a count; UsageError when wrong or missing."""
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
                raise self.wrong(f"{key} should be a whole number, not {value!r}")
            if not 0 <= value <= _LARGEST:
                raise self.wrong(f"{key} = {value} is out of range")
            return int(value)
        if default is None:
            raise self.wrong(f"{' or '.join(keys)} is missing")
        return default

    def layers(self, *keys: str, default: int | None = None) -> int:
        """Return a number of layers, which is bounded: every layer becomes an object."""
        number = self.size(*keys, default=default)
        if number > _MOST_LAYERS:
            raise self.wrong(f"{keys[0]} = {number} is out of range")
        return number

    def flag(self, *keys: str, default: bool = False) -> bool:
        """Return the first of ``keys`` that is present, as a truth value."""
        for key in keys:
            value = self.values.get(key)
            if value is not None:
                return bool(value)
        return default

    def text(self, *keys: str, default: str = "") -> str:
        """Return the first of ``keys`` that is present, as text."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str):
                return value
        return default

    def list_of(self, key: str) -> list[Any]:
        """Return a list, empty when the key is absent; UsageError for anything else."""
        value = self.values.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(f"{key} should be a list")
        if len(value) > _MOST_LAYERS:
            raise self.wrong(f"{key} has {len(value)} entries")
        return value

    def nested(self, *keys: str) -> "Configuration | None":
        """Return the first of ``keys`` that holds a table, as a configuration of its own."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, Mapping):
                return Configuration(value, f"{self.title}, {key}", self.location)
        return None

    def has(self, key: str) -> bool:
        """Tell whether a key is present and not null."""
        return self.values.get(key) is not None

    def wrong(self, what: str) -> UsageError:
        """Return the error for a wrong value."""
        return UsageError(f"{self.title}: {what}", location=self.location)

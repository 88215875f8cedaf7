"""How much this machine keeps of the devices' values: a model's weights would fill its memory."""

import weakref
from typing import TYPE_CHECKING

from tpuguru.base.units import format_bytes

if TYPE_CHECKING:
    from tpuguru.slice.values.graph import Value

_SMALL_BYTES = 4096  # of a value that is not worth counting: losses, counters, seeds


class Holdings:
    """Counts the bytes of known values, and gives up those that would be too much."""

    def __init__(self, most_bytes: int) -> None:
        """Keep at most ``most_bytes`` of all values together."""
        self._most = most_bytes
        self._held = 0

    def admit(self, value: "Value") -> None:
        """Count a value that has just become known until it is freed, or give it up."""
        size = len(value.data or b"")
        if size < _SMALL_BYTES:
            return
        if self._held + size > self._most:
            value.give_up(f"more values were known than fit here together ({format_bytes(self._most)})")
            return
        self._held += size
        weakref.finalize(value, self._release, size)

    def _release(self, size: int) -> None:
        self._held -= size

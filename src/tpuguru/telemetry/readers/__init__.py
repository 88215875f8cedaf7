"""One module a kind of text; each lists its ``READERS``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tpuguru.telemetry.observation import Observation


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the lines that hold one of its anchors; gets the line, its number and the observation."""

    name: str
    anchors: Sequence[str]
    read: Callable[[str, int, Observation], None]


@dataclass(frozen=True, slots=True)
class BulkReader:
    """The same for lines that a long log can hold by the thousand: found in the raw block."""

    name: str
    anchors: Sequence[bytes]
    read: Callable[[str, int, Observation], None]

"""A report as sections of sentences and tables, before it is rendered."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How a sentence is to be taken; renderers choose colours and signs."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence."""

    text: str
    tone: Tone = Tone.PLAIN
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under headings; ``numeric`` names the right-aligned columns by position."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    title: str
    parts: tuple[Line | Table, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A report: a title, the verdict, then sections."""

    title: str
    head: tuple[Line, ...]
    sections: tuple[Section, ...]

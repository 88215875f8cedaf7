"""A rule as the engine sees it, and the page that a reader sees."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tpuguru.facts.finding import Category, Level, Severity, Source


class Status(StrEnum):
    """Where a rule is in its life."""

    PREVIEW = "preview"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class Expectation(StrEnum):
    """What an example promises, by the first word of its heading."""

    BAD = "bad"
    GOOD = "good"
    BORDERLINE = "borderline"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Piece:
    """A text inside a rule file: where it starts, and how far its later lines are indented."""

    text: str
    line: int = 1
    column: int = 1
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """The front matter of a rule file. Expressions are kept as text and compiled when they are needed.

    ``reads`` names the facts of `when` if it cannot be decided while none of them is known, else it is empty.
    """

    id: str
    name: str
    title: str
    category: Category
    severity: Severity
    level: Level
    applies_to: tuple[str, ...]
    when: Piece
    borderline: Piece | None
    unless: Piece | None
    message: str
    anchors: tuple[str, ...]
    replace: str
    order: int
    never_with: tuple[str, ...]
    sources: tuple[Source, ...]
    since: str
    status: Status
    path: Path
    provenance: str
    reads: tuple[str, ...] = ()

    @property
    def applies_everywhere(self) -> bool:
        """Whether the rule is asked for every framework."""
        return "any" in self.applies_to


@dataclass(frozen=True, slots=True)
class Example:
    """An input and the verdict it must get; ``body`` is the text, ``language`` facts, launch or paste."""

    expectation: Expectation
    title: str
    language: str
    body: Piece


@dataclass(frozen=True, slots=True)
class Page:
    """The sections of a rule file. Cost and Fix are templates."""

    why: Piece
    cost: Piece
    fix: Piece
    skip_when: Piece
    examples: tuple[Example, ...]

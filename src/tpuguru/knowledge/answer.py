"""An extractive answer: the claims themselves, the playbook to follow, and what is not covered."""

from collections.abc import Sequence
from dataclasses import dataclass

from tpuguru.base.redaction import redact
from tpuguru.knowledge.claim import Page
from tpuguru.knowledge.question import Unit
from tpuguru.knowledge.routes import Route
from tpuguru.knowledge.search import Hit
from tpuguru.knowledge.terms import is_han, is_number

# The share of a question's weight that one of the best claims must hold for the question to count as covered,
# by how many terms of the field it names beyond terms of something else (index 0: none). Calibrated on
# tests/knowledge/questions.toml. A question that names many is surely about the field and tells circumstances
# that no claim repeats; one that names none may share everyday words with a claim by chance.
_NEEDED_COVERAGE = (0.64, 0.46, 0.45, 0.37, 0.30)
_CONSIDERED = 4
_QUOTED = 4
_QUOTED_SHARE = 0.6  # a claim that scores below this share of the best one is not quoted


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. When ``covered`` is false there are no claims, only the nearest pages."""

    question: str
    language: str
    covered: bool
    hits: tuple[Hit, ...]
    route: Route
    not_covered: tuple[str, ...]
    nearest: tuple[Page, ...]


def language_of(question: str, asked: str) -> str:
    """Return en or zh: what was asked for, else the question's own language."""
    if asked != "auto":
        return asked
    return "zh" if is_han(question) else "en"


def is_covered(units: Sequence[Unit], hits: Sequence[Hit]) -> bool:
    """Return whether the knowledge base covers the question, by the weight of words that the claims hold."""
    return max((hit.coverage for hit in hits[:_CONSIDERED]), default=0.0) >= needed_coverage(units)


def needed_coverage(units: Sequence[Unit]) -> float:
    """Return the share (0..1) of the question's weight that a claim must hold."""
    known = sum(unit.of_the_field - unit.outside for unit in units)
    return _NEEDED_COVERAGE[min(max(known, 0), len(_NEEDED_COVERAGE) - 1)]


def quoted(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the claims worth quoting: the best one and those that are nearly as good."""
    return tuple(hit for hit in hits[:_QUOTED] if hit.score >= _QUOTED_SHARE * hits[0].score)


def missing_words(units: Sequence[Unit], hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return what was asked about that none of ``hits`` mentions."""
    held = {label for hit in hits for label in hit.matched}
    missing = [unit for unit in units if unit.label not in held and not is_number(unit.terms[0])]
    return tuple(dict.fromkeys(redact(unit.label) for unit in missing))

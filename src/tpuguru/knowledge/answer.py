"""An extractive answer: the claims themselves, the playbook to follow, and what is not covered."""

from collections.abc import Sequence
from dataclasses import dataclass

from tpuguru.base.redaction import redact
from tpuguru.knowledge.claim import Page
from tpuguru.knowledge.question import Unit
from tpuguru.knowledge.routes import Route
from tpuguru.knowledge.search import Hit, Index
from tpuguru.knowledge.terms import is_han

# Calibrated on tests/knowledge/questions.toml: the least share of the question's weight that the best claim,
# and the best claims together, must hold for the question to count as covered.
BEST_COVERAGE = 0.52
TOGETHER_COVERAGE = 0.55
_TOGETHER = 4
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


def is_covered(index: Index, units: Sequence[Unit], hits: Sequence[Hit]) -> bool:
    """Return whether the knowledge base covers the question, by the weight of words that the claims hold."""
    if not hits:
        return False
    best = max(hit.coverage for hit in hits[:_TOGETHER])
    return best >= BEST_COVERAGE and together(index, units, hits) >= TOGETHER_COVERAGE


def together(index: Index, units: Sequence[Unit], hits: Sequence[Hit]) -> float:
    """Return the share of the question's weight that the best claims hold together."""
    held = {label for hit in hits[:_TOGETHER] for label in hit.matched}
    total = sum(index.weight(unit) for unit in units)
    return sum(index.weight(unit) for unit in units if unit.label in held) / total if total else 0.0


def quoted(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the claims worth quoting: the best one and those that are nearly as good."""
    return tuple(hit for hit in hits[:_QUOTED] if hit.score >= _QUOTED_SHARE * hits[0].score)


def missing_words(units: Sequence[Unit], hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return what was asked about that none of ``hits`` mentions."""
    held = {label for hit in hits for label in hit.matched}
    return tuple(dict.fromkeys(redact(unit.label) for unit in units if unit.label not in held))

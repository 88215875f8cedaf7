"""What an expression sees while it is evaluated: the facts of one launch, and a record of those it read."""

from typing import NamedTuple

from tpuguru.facts.factset import Facts
from tpuguru.facts.value import Unknown
from tpuguru.rules.language.missing import Missing, MissingFact


class TextMatch(NamedTuple):
    """Where a text test matched: the fact and the character offsets in its text."""

    fact: str
    start: int
    end: int


class Scope:
    """Values by fact name, read once for all rules over a launch; reads and matches of the current rule."""

    __slots__ = ("facts", "locals", "matches", "reads", "values")

    def __init__(self, facts: Facts) -> None:
        """Start with nothing read."""
        self.facts = facts
        self.values: dict[str, object] = {}
        self.reads: list[str] = []
        self.matches: list[TextMatch] = []
        self.locals: dict[str, object] = {}

    def begin(self) -> None:
        """Forget what the previous expression read."""
        self.reads = []
        self.matches = []

    def fetch(self, name: str) -> object:
        """Read a fact for the first time; an unknown one becomes a Missing that names it."""
        value = self.facts.get(name).value
        known = missing_from(name, value) if isinstance(value, Unknown) else value
        self.values[name] = known
        return known


def missing_from(name: str, unknown: Unknown) -> Missing:
    """Return the missing value of the fact or record field ``name``."""
    return Missing((MissingFact(name, unknown.reason, unknown.needs),))

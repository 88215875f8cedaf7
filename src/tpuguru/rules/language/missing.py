"""The third truth value: not known, together with every fact that would settle it."""

from typing import NamedTuple


class MissingFact(NamedTuple):
    """A fact that was read and is not known: its name, why, and what it would take."""

    name: str
    reason: str
    needs: str


class Missing:
    """The value of an expression that unknown facts leave undecided."""

    __slots__ = ("facts",)

    def __init__(self, facts: tuple[MissingFact, ...]) -> None:
        """Keep the facts that are in the way, each once."""
        self.facts = facts

    def joined(self, other: "Missing") -> "Missing":
        """Return the missing value of an expression that both of these leave undecided."""
        if other is self:
            return self
        return Missing(tuple(dict.fromkeys(self.facts + other.facts)))


def missing_reason(reason: str) -> Missing:
    """Return a missing value that no fact explains, such as a division by zero."""
    return Missing((MissingFact("", reason, ""),))

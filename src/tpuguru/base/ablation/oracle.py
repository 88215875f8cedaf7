"""What a prover asks: which program a launch gives with some settings left out, or others added."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Variation:
    """The launch without the keys ``omit`` and with the words ``add`` (``key=value``)."""

    omit: frozenset[str] = frozenset()
    add: tuple[str, ...] = ()

    @classmethod
    def without(cls, keys: Iterable[str], *, add: Iterable[str] = ()) -> "Variation":
        """Return the launch without ``keys``."""
        return cls(frozenset(keys), tuple(add))


@dataclass(frozen=True, slots=True)
class Program:
    """A program's identity, or that of all programs of a run: two are the same when both hashes are."""

    stablehlo: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The framework does not take the variation."""

    message: str
    phase: str = ""


class OutOfBudgetError(Exception):
    """The time for proving is used up."""


class ProgramOracle(Protocol):
    """Makes the program of a variation. Raises OutOfBudgetError when the time is up."""

    def program(self, variation: Variation, *, fresh: bool = False) -> Program | Refusal:
        """Return the program; ``fresh`` forgets everything that an earlier one left behind."""

"""What the prover asks: which program a launch gives with some settings left out, or others added."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    """A lowered program's identity: two are the same when both hashes are."""

    stablehlo: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The framework does not take the variation."""

    message: str
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """A resolved configuration, without names and places.

    ``groups`` says which part declares each key, ``choices`` which values a key can have when they are a
    fixed few.
    """

    values: Mapping[str, object]
    groups: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class OutOfBudgetError(Exception):
    """The time for proving is used up."""


class Oracle(Protocol):
    """Lowers and resolves variations. Both raise OutOfBudgetError when the time is up."""

    def program(self, variation: Variation, *, fresh: bool = False) -> Program | Refusal:
        """Return the program; ``fresh`` forgets everything that an earlier lowering left behind."""

    def settings(self, variation: Variation) -> Settings | Refusal:
        """Return the resolved configuration, without lowering."""

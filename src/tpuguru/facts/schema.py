"""Declarations: which facts exist, their type, unit and choices. Rules are type-checked against them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class FactType(StrEnum):
    """The types a fact can have."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    INTEGERS = "list of integers"
    NUMBERS = "list of numbers"
    TEXTS = "list of texts"
    RECORDS = "list of records"


class Unit(StrEnum):
    """What a number counts. Two different units are never compared."""

    NONE = ""
    BYTES = "bytes"
    SECONDS = "seconds"
    FLOPS = "FLOP"
    FLOPS_PER_SECOND = "FLOP/s"
    BYTES_PER_SECOND = "bytes/s"
    TOKENS = "tokens"
    TOKENS_PER_SECOND = "tokens/s"
    CHIPS = "chips"
    DEVICES = "devices"
    CORES = "cores"
    HOSTS = "hosts"
    PARAMETERS = "parameters"
    FRACTION = "fraction"


class Stage(StrEnum):
    """Which source settles a fact; used to say what an unknown one needs."""

    SAID = "said"
    COMPILED = "compiled"
    REHEARSED = "rehearsed"
    OBSERVED = "observed"


NEEDS = {
    Stage.SAID: "a launch that states it",
    Stage.COMPILED: "a compile (tpuguru check)",
    Stage.REHEARSED: "a rehearsal (tpuguru rehearse)",
    Stage.OBSERVED: "a log or profile of the run",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A fact, or a field of a record: dotted name, type, unit, allowed texts, one line of documentation."""

    name: str
    type: FactType
    summary: str
    unit: Unit = Unit.NONE
    choices: tuple[str, ...] = ()
    fields: tuple["Field", ...] = ()
    stage: Stage = Stage.SAID


class Vocabulary:
    """All declared facts by dotted name."""

    def __init__(self, fields: tuple[Field, ...]) -> None:
        """Index the declarations; a name declared twice is a programming error (ValueError)."""
        self._by_name: dict[str, Field] = {}
        for field in fields:
            if field.name in self._by_name:
                raise ValueError(f"fact {field.name} is declared twice")
            self._by_name[field.name] = field

    def __iter__(self) -> Iterator[Field]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> Field | None:
        """Return the declaration of ``name``, or None."""
        return self._by_name.get(name)

    def names(self) -> tuple[str, ...]:
        """Return every declared name."""
        return tuple(self._by_name)

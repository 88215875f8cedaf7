"""The types of expressions, read from the fact vocabulary."""

from dataclasses import dataclass, replace
from enum import Enum

from tpuguru.facts.schema import FactType, Field
from tpuguru.rules.language.dimensions import PLAIN, Dimension, dimension_of


class Base(Enum):
    """What sort of value an expression has, in the words that error messages use."""

    BOOLEAN = "a truth value"
    NUMBER = "a number"
    TEXT = "a text"
    LIST = "a list"
    RECORD = "a record"


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: its sort, what a number measures, which texts are allowed, what a list or record holds."""

    base: Base
    dimension: Dimension = PLAIN
    choices: tuple[str, ...] = ()
    element: "Kind | None" = None
    fields: "dict[str, Kind] | None" = None
    literal: object = None

    def __str__(self) -> str:
        if self.base is Base.NUMBER:
            return str(self.dimension) if self.dimension != PLAIN else "a plain number"
        if self.base is Base.LIST and self.element:
            return f"a list of {_PLURAL[self.element.base]}"
        return str(self.base.value)

    def without_literal(self) -> "Kind":
        """Return the same type, no longer known to be one constant."""
        return replace(self, literal=None) if self.literal is not None else self


_PLURAL = {
    Base.BOOLEAN: "truth values",
    Base.NUMBER: "numbers",
    Base.TEXT: "texts",
    Base.LIST: "lists",
    Base.RECORD: "records",
}

BOOLEAN = Kind(Base.BOOLEAN)
NUMBER = Kind(Base.NUMBER)
TEXT = Kind(Base.TEXT)


def kind_of(field: Field) -> Kind:
    """Return the type of a declared fact or record field."""
    dimension = dimension_of(field.unit)
    match field.type:
        case FactType.BOOLEAN:
            return BOOLEAN
        case FactType.INTEGER | FactType.NUMBER:
            return Kind(Base.NUMBER, dimension)
        case FactType.TEXT:
            return Kind(Base.TEXT, choices=field.choices)
        case FactType.INTEGERS | FactType.NUMBERS:
            return Kind(Base.LIST, element=Kind(Base.NUMBER, dimension))
        case FactType.TEXTS:
            return Kind(Base.LIST, element=Kind(Base.TEXT, choices=field.choices))
        case FactType.RECORDS:
            fields = {inner.name.rpartition(".")[2]: kind_of(inner) for inner in field.fields}
            return Kind(Base.LIST, element=Kind(Base.RECORD, fields=fields))

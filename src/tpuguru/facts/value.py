"""A fact's value; not knowing is a value too, and says what would settle it."""

from collections.abc import Mapping
from dataclasses import dataclass

from tpuguru.facts.origin import Origin

type Scalar = bool | int | float | str
type Record = Mapping[str, Scalar | Unknown]
type FactValue = Scalar | tuple[Scalar, ...] | tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is not known, and what it would take: «a compile», «the file models/qwen3-4B.sh»."""

    reason: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A fact's value with its origin."""

    value: FactValue | Unknown
    origin: Origin

    @property
    def known(self) -> bool:
        """Whether the value is known."""
        return not isinstance(self.value, Unknown)

"""Where a value came from: every number in a report can be traced back."""

from dataclasses import dataclass
from enum import StrEnum

from tpuguru.base.location import Location


class OriginKind(StrEnum):
    """The kinds of source a value can have."""

    COMMAND = "command"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"
    FILLED_IN = "filled in"  # put there by tpuguru; always shown as such
    OPTION = "option"  # a tpuguru command-line option, e.g. --gpu
    DERIVED = "derived"
    HARDWARE = "hardware data"
    COMPILER = "compiler"
    OBSERVED = "observed"


@dataclass(frozen=True, slots=True)
class Origin:
    """A value's source.

    ``detail`` says it in words («defaults of maxtext 0.2.5», «memory-usage report»);
    ``inputs`` names the facts a derived value was computed from.
    """

    kind: OriginKind
    detail: str = ""
    location: Location | None = None
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = str(self.location) if self.location else self.detail
        return f"{self.kind}: {where}" if where else str(self.kind)

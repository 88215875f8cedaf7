"""What the prover asks of a framework that resolves its own configuration before it lowers anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tpuguru.base.ablation import ProgramOracle, Refusal, Variation


@dataclass(frozen=True, slots=True)
class Settings:
    """A resolved configuration, without names and places.

    ``groups`` says which part declares each key, ``choices`` which values a key can have when they are a
    fixed few.
    """

    values: Mapping[str, object]
    groups: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Oracle(ProgramOracle, Protocol):
    """Lowers and resolves variations. Both raise OutOfBudgetError when the time is up."""

    def settings(self, variation: Variation) -> Settings | Refusal:
        """Return the resolved configuration, without lowering."""

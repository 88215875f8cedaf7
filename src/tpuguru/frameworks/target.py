"""The slice that a launch is judged on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuguru.facts.origin import Origin

if TYPE_CHECKING:
    from tpuguru.hardware.slices import Slice


@dataclass(frozen=True, slots=True)
class Target:
    """A slice, and where its name was written."""

    slice: "Slice"
    origin: Origin

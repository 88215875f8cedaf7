"""What a check is asked to do."""

from dataclasses import dataclass
from enum import StrEnum


class Prove(StrEnum):
    """How much of the proof of dead settings to do."""

    NONE = "none"
    FAST = "fast"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of ``tpuguru check``. ``seconds`` bounds one compile by wall clock."""

    slice_name: str = ""
    toolchain: str = ""
    prove: Prove = Prove.FAST
    what_if: bool = False
    force: bool = False
    seconds: float = 3600.0
    variant: str = ""
    quiet: bool = False
    rehearse: bool = False
    """Run the launch's own command on a virtual slice; the next ones are of that run."""
    yes: bool = False
    processes: str = "auto"
    steps: int = 3
    network: bool = False

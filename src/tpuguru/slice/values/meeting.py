"""Where ranks meet: the n-th execution of a collective program by each rank is one execution."""

from collections import defaultdict
from dataclasses import dataclass, field

from tpuguru.slice.values.graph import Execution, Program

type Key = tuple[str, tuple[int, ...]]
"""What ranks agree on: the program's content hash and its devices."""


@dataclass(slots=True)
class _Place:
    """The executions of one program that are not whole yet, and how many each rank entered."""

    first: int = 0
    open: dict[int, Execution] = field(default_factory=dict)
    entered: dict[int, int] = field(default_factory=lambda: defaultdict(int))


class Meeting:
    """Matches executions of collective programs across ranks."""

    def __init__(self) -> None:
        """Nobody has entered anything."""
        self._places: dict[Key, _Place] = defaultdict(_Place)

    def enter(self, rank: int, program: Program) -> Execution:
        """Return the execution that this rank's next execution of ``program`` is part of."""
        place = self._places[(program.frame.hash, program.frame.devices)]
        number = place.entered[rank]
        place.entered[rank] += 1
        execution = place.open.setdefault(number, Execution(program))
        execution.ranks.add(rank)
        return execution

    def left(self, execution: Execution) -> None:
        """Forget an execution that is whole now."""
        place = self._places[(execution.program.frame.hash, execution.program.frame.devices)]
        for number, each in list(place.open.items()):
            if each is execution:
                del place.open[number]

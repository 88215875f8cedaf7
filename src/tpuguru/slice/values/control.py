"""What is computed even when values are switched off: what ranks tell each other so that they agree."""

from tpuguru.slice.values.engine import CpuEngine
from tpuguru.slice.values.graph import Execution, Program

_WHOLE_NUMBERS = frozenset(range(1, 10))
"""The PJRT ABI's numbers of the boolean and integer types up to 64 bits."""
_TOKEN = 23
_MOST_BYTES = 16 * 2**20
_MOST_FLOPS = 1e8

OBJECTION = "values are switched off (--values never)"


class NoEngine:
    """Knows no values; used where only the meeting of ranks matters."""

    def __init__(self, reason: str) -> None:
        """``reason`` says why."""
        self._reason = reason

    def prepare(self, program: Program) -> None:
        """Object to every program."""
        program.objection = self._reason

    def warm_up(self, devices: int) -> None:
        """There is nothing to start."""

    def run(self, execution: Execution) -> list[list[bytes]] | None:  # noqa: ARG002 - the protocol's signature
        """Compute nothing."""
        return None


class ControlEngine(CpuEngine):
    """Computes only small programs of which every output is whole numbers.

    DDP's check of the parameters' shapes, ``sync_global_devices``, ``broadcast_one_to_all`` and
    ``all_gather_object`` send such arrays, made by the host, through a device's collective and stop a program
    whose ranks do not agree. They come out as on the device. A whole number that depends on the model stays
    unknown, since the floats before it are.
    """

    def prepare(self, program: Program) -> None:
        """Compile for the CPU what may be control; object to everything else."""
        frame = program.frame
        kinds = {element for element, _ in frame.outputs} - {_TOKEN}
        small = (
            frame.memory_bytes * program.width <= _MOST_BYTES and frame.flops * program.width <= _MOST_FLOPS
        )
        if small and kinds and kinds <= _WHOLE_NUMBERS:
            super().prepare(program)
        else:
            program.objection = OBJECTION

    def warm_up(self, devices: int) -> None:
        """Start nothing before something must be computed: most programs need nothing."""

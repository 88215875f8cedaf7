"""What the plugin recorded of a rehearsal."""

from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.slice.record_parts import LineReads, PeakRecord, Place, StepTransfers, Transfers

SAME_STEP = 0.5
"""Part of the step's FLOPs: a last batch may be smaller, an evaluation has a third. Also in leader.h."""


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """A process that joined the slice. ``devices`` are the ids it owns; ``limit`` is bytes per device."""

    time: float
    pid: int
    topology: str
    slices: int
    process: int
    devices: tuple[int, ...]
    device_kind: str
    all_devices: int
    limit: int
    platform_version: str
    api_version: str


@dataclass(frozen=True, slots=True)
class ProgramRecord:
    """One program that a process loaded. ``memory``: bytes per device; ``folder``: under programs/."""

    time: float
    pid: int
    index: int
    folder: str
    name: str
    caller: str
    python: str
    seconds: float
    cached: bool
    partitions: int
    devices: tuple[int, ...]
    memory: dict[str, int]
    flops: float
    donated: tuple[int, ...]
    products: bool = False
    """Whether it has a product of matrices, a convolution or a kernel; false in older records."""

    @property
    def work(self) -> tuple[bool, float]:
        """What makes a program the step: of all that ran, the one with the most.

        Products come before any number of FLOPs: the random numbers of a small model's weights are more FLOPs
        than its step.
        """
        return (self.products, self.flops)

    def is_step_of(self, main: "ProgramRecord") -> bool:
        """Whether it is the same step as ``main``, compiled for other arguments (another batch or sharding).

        Eager PyTorch has one name for many different programs, which are no steps.
        """
        if self.folder == main.folder:
            return True
        alike = self.name == main.name and self.products == main.products
        return "jax" in main.caller and alike and self.flops >= SAME_STEP * main.flops


@dataclass(frozen=True, slots=True)
class MemorySample:
    """A point of the timeline: bytes of arrays on a device before a program, and the most while it ran."""

    time: float
    pid: int
    device: int
    live: int
    during: int
    code: int
    index: int


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """What a device held at most, in bytes."""

    pid: int
    device: int
    live: int
    peak: int
    code: int
    host_peak: int
    limit: int


@dataclass(slots=True)
class UnknownRead:
    """A line of the program that read a value that is not known.

    ``use`` is what the line does with it where that could be seen: «assert», «loop» or nothing. ``told`` is
    what it usually got, ``ended`` what it was told so that its loop ends (empty: never), ``in_loop`` how
    often it had asked in one and the same run of the loop when it was told so last.
    """

    pid: int
    array: str
    maker: str
    python: str
    reason: str
    use: str = ""
    told: str = ""
    count: int = 1
    ended: str = ""
    in_loop: int = 0


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """Something failed when compiling or running: ``kind`` is compile or run."""

    time: float
    pid: int
    kind: str
    where: str
    message: str
    python: str = ""


@dataclass(frozen=True, slots=True)
class CompileRecord:
    """The TPU compiler at work. ``seconds`` are its own; None while it has not answered."""

    time: float
    pid: int
    folder: str
    python: str
    seconds: float | None = None


@dataclass(slots=True)
class Records:
    """Everything in ``index.jsonl``, in the order in which it happened."""

    folder: Path
    clients: list[ClientRecord] = field(default_factory=list)
    programs: list[ProgramRecord] = field(default_factory=list)
    compiles: dict[tuple[int, str], CompileRecord] = field(default_factory=dict)
    """What the compiler was asked, by process and program folder; programs of earlier runs are not."""
    arguments: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    """Argument types at the first execution, by process and program."""
    first_executed: dict[tuple[int, int], float] = field(default_factory=dict)
    first_lines: dict[tuple[int, int], str] = field(default_factory=dict)
    """The user's line at the first execution."""
    executions: dict[tuple[int, int], int] = field(default_factory=dict)
    transfers: dict[int, Transfers] = field(default_factory=dict)
    steps: dict[int, StepTransfers] = field(default_factory=dict)
    """By process, as are ``places``, ``reads`` and ``peaks``."""
    places: dict[int, Place] = field(default_factory=dict)
    reads: dict[int, tuple[LineReads, ...]] = field(default_factory=dict)
    peaks: dict[int, PeakRecord] = field(default_factory=dict)
    memory: list[MemorySample] = field(default_factory=list)
    devices: dict[int, DeviceUse] = field(default_factory=dict)
    unknown: dict[tuple[int, int], UnknownRead] = field(default_factory=dict)
    """By process and the number of the line in it."""
    errors: list[ErrorRecord] = field(default_factory=list)
    steps_done: bool = False
    """Whether the plugin ended it since the wanted number of steps had run."""
    exits: set[int] = field(default_factory=set)
    """Processes that ended in order; the others were killed."""

    @property
    def unknown_reads(self) -> list[UnknownRead]:
        """The lines that read unknown values, in the order in which they first did."""
        return list(self.unknown.values())

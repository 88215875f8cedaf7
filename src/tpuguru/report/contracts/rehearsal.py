"""The contract ``rehearsal/v1``: what a program did on a virtual slice. Bytes are per device."""

from typing import Literal

import msgspec

from tpuguru.report.contracts.common import FindingRecord
from tpuguru.report.contracts.extract import ExtractReport
from tpuguru.report.contracts.timeline import TimelineReport


class SliceRecord(msgspec.Struct, frozen=True):
    """The slice as libtpu described it to the program."""

    topology: str
    slices: int
    devices: int
    device_kind: str
    processes: int


class EndingRecord(msgspec.Struct, frozen=True):
    """How it ended. ``codes`` are the ranks' exit codes (negative: a signal; null: not known)."""

    how: Literal["end", "failed", "stopped", "deadlock", "interrupted"]
    reason: str
    codes: list[int | None]
    seconds: float


class ProgramEntry(msgspec.Struct, frozen=True):
    """One program: all its loads and executions. ``folder`` is below the records' programs/.

    ``runs`` are the executions on the device that runs it most; ``extract`` is what its artifacts say (null:
    not read, see ``not_read``).
    """

    name: str
    folder: str
    loads: int
    executions: int
    compile_seconds: float
    cached: bool
    flops: float
    peak: int
    arguments: int
    temporaries: int
    code: int
    donated: int
    argument_types: list[str]
    python: str
    runs: int = 0
    extract: ExtractReport | None = None
    not_read: str = ""


class LateCompileEntry(msgspec.Struct, frozen=True):
    """A program compiled late, and what differs from the last of its name.

    Late is after the server was ready (the report's ``ready``), or else after the first step was over.
    """

    name: str
    seconds: float
    python: str
    change: str
    cause: Literal["shape", "same-types", "new"] = "new"
    heavy: bool = False


class DeviceEntry(msgspec.Struct, frozen=True):
    """A device's peak. Not ``exact``: its process was killed, and the peak is of the samples it left."""

    device: int
    peak: int
    limit: int
    code: int
    exact: bool
    executions: int = 0
    flops: float = 0.0


class UnknownReadEntry(msgspec.Struct, frozen=True):
    """A line of the program that read a value that is not known here.

    ``use``: what it does with it, where that can be seen. ``told``: what it got; ``ended``: what it was told
    so that its loop ends (empty: it never was); ``count``: how often it asked.
    """

    array: str
    maker: str
    python: str
    reason: str
    use: Literal["", "assert", "loop"]
    told: str
    count: int
    ended: str


class DeadlockEntry(msgspec.Struct, frozen=True):
    """A collective that some rank never entered: who waits, and where the others are."""

    program: str
    waiting: list[str]
    missing: list[str]
    certain: bool


class ErrorEntry(msgspec.Struct, frozen=True):
    """An error of compiling or running."""

    kind: str
    where: str
    message: str
    python: str


class PeakPartEntry(msgspec.Struct, frozen=True):
    """Alike arrays that were alive at the peak, or what the running program needed; ``python`` made them."""

    what: str
    bytes: int
    count: int
    maker: str
    python: str


class PeakEntry(msgspec.Struct, frozen=True):
    """What was alive when a device held most, to a hundredth; ``program`` ran then."""

    device: int
    bytes: int
    live: int
    program: str
    parts: list[PeakPartEntry]


class ReaderEntry(msgspec.Struct, frozen=True):
    """A line that reads arrays back in every step; reads of the whole rehearsal."""

    python: str
    count: int
    bytes: int


class AxisEntry(msgspec.Struct, frozen=True):
    """Collectives of one kind over one set of axes: bytes of one device.

    ``payload`` is the larger of what goes in and comes out, ``sent`` a lower bound of what must be sent.
    """

    axes: list[str]
    kind: str
    network: str
    executions: float
    payload: float
    sent: float
    programs: list[str]


class StepEntry(msgspec.Struct, frozen=True):
    """The step: the program of most arithmetic. Averages of one step of the process that transfers most.

    ``collectives`` are of one step, or of the whole rehearsal when the step ran once; ``beside`` are of the
    programs that ran less often, in all.
    """

    program: str
    runs: int
    programs: float | None
    reads: float | None
    read_bytes: float | None
    writes: float | None
    write_bytes: float | None
    readers: list[ReaderEntry]
    collectives: list[AxisEntry]
    beside: list[AxisEntry]


class WarningEntry(msgspec.Struct, frozen=True):
    """A warning in the output; those that differ in numbers only are one."""

    text: str
    place: str
    count: int
    ranks: list[int]


class StopEntry(msgspec.Struct, frozen=True):
    """Where a process was last; ``failed`` names what it could not compile or run."""

    process: int
    seconds: float
    program: str
    python: str
    ended: bool
    failed: str


class TracebackEntry(msgspec.Struct, frozen=True):
    """The last traceback that a rank printed."""

    rank: int
    exception: str
    raised_at: str
    user_line: str


class RehearsalReport(msgspec.Struct, frozen=True, rename={"schema_name": "schema"}):
    """The whole rehearsal; ``slice`` is null when the program never asked for a TPU."""

    run_id: str
    folder: str
    versions: dict[str, str]
    ending: EndingRecord
    slice: SliceRecord | None
    programs: list[ProgramEntry]
    late_compiles: list[LateCompileEntry]
    devices: list[DeviceEntry]
    compile_seconds: float
    to_device: int
    to_host: int
    unknown_reads: list[UnknownReadEntry]
    deadlocks: list[DeadlockEntry]
    errors: list[ErrorEntry]
    blanked_figures: int
    network_objection: str
    timeline: TimelineReport | None
    findings: list[FindingRecord] = []
    peak: PeakEntry | None = None
    step: StepEntry | None = None
    warnings: list[WarningEntry] = []
    stops: list[StopEntry] = []
    tracebacks: list[TracebackEntry] = []
    notes: list[str] = []
    ready: bool = False
    """Whether a server said it was ready: late compiles count from there."""
    schema_name: Literal["rehearsal/v1"] = "rehearsal/v1"


CONTRACT = ("rehearsal.v1", RehearsalReport)

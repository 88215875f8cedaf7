"""Records beside programs and memory: the peak, the step's transfers, who reads, where a process is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Transfers:
    """Arrays moved between host and device."""

    to_device_count: int = 0
    to_device_bytes: int = 0
    to_host_count: int = 0
    to_host_bytes: int = 0


@dataclass(frozen=True, slots=True)
class LiveArrays:
    """Alike arrays on a device: one type, one maker. ``program`` is the maker's index, -1 when it is none."""

    type: str
    count: int
    bytes: int
    maker: str
    program: int


@dataclass(frozen=True, slots=True)
class PeakRecord:
    """The most that any device of a process held, to a hundredth, and the arrays that were alive then.

    ``during`` is while program ``index`` ran, ``live`` the arrays alone before it; bytes.
    """

    time: float
    pid: int
    device: int
    live: int
    during: int
    code: int
    index: int
    arrays: tuple[LiveArrays, ...]


@dataclass(frozen=True, slots=True)
class StepTransfers:
    """What a process had transferred when its step (the program of most work) ran first, and last.

    ``second`` is when it ran for the second time; 0 when it did not, or did not tell. ``executions`` are of
    all programs that are the step, for whatever arguments; 0 in older records.
    """

    index: int
    second: float
    first: Transfers
    last: Transfers
    executions: int = 0


@dataclass(frozen=True, slots=True)
class LineReads:
    """Arrays that one line of the program read back to the host."""

    python: str
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process was when it last told: the program it executed last (-1: none yet) and its line."""

    time: float
    program: int
    python: str


def transfers_of(line: dict[str, Any]) -> Transfers:
    """Read a pair ``to_device``/``to_host``."""
    down, up = line["to_device"], line["to_host"]
    return Transfers(down["count"], down["bytes"], up["count"], up["bytes"])


def peak_of(line: dict[str, Any]) -> PeakRecord:
    """Read an event «peak»."""
    return PeakRecord(
        line["time"],
        line["pid"],
        line["device"],
        line["live"],
        line["during"],
        line["code"],
        line["index"],
        tuple(_live_arrays(line["arrays"])),
    )


def _live_arrays(entries: Iterable[dict[str, Any]]) -> Iterable[LiveArrays]:
    for each in entries:
        yield LiveArrays(each["type"], each["count"], each["bytes"], each["maker"], each["program"])


def step_of(line: dict[str, Any]) -> StepTransfers | None:
    """Read the step of an event «counts»; None before any program ran, and in older records."""
    step = line.get("step")
    if step is None:
        return None
    return StepTransfers(
        step["index"],
        step.get("second", 0.0),
        transfers_of(step["first"]),
        transfers_of(step["last"]),
        step.get("executions", 0),
    )


def reads_of(line: dict[str, Any]) -> tuple[LineReads, ...]:
    """Read the lines that read, of an event «counts»."""
    return tuple(LineReads(each["python"], each["count"], each["bytes"]) for each in line.get("reads", ()))


def place_of(line: dict[str, Any]) -> Place:
    """Read where the process is, of an event «counts»."""
    return Place(line["time"], line.get("last", -1), line.get("python", ""))

"""What was alive when a device held most, and which line of the program made it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.slice.record_parts import LiveArrays, PeakRecord
from tpuguru.slice.records import ProgramRecord, Records


@dataclass(frozen=True, slots=True)
class PeakPart:
    """Bytes that were alive at the peak: arrays of one type and maker, or what the running program needed.

    ``python`` is the line that had the maker compiled; empty for arrays from the host.
    """

    what: str
    bytes: int
    count: int
    maker: str
    python: str


@dataclass(frozen=True, slots=True)
class PeakSummary:
    """The peak of the fullest device whose arrays were listed, to a hundredth. ``program`` ran then."""

    device: int
    bytes: int
    live_bytes: int
    program: str
    parts: tuple[PeakPart, ...]
    """Biggest first; small arrays beyond the recorded ones are left out."""


def summarise_peak(records: Records) -> PeakSummary | None:
    """Return the peak; None when nothing was recorded about it (no program ran, or older records)."""
    peak = max(records.peaks.values(), key=lambda each: each.during, default=None)
    if peak is None:
        return None
    programs = {(each.pid, each.index): each for each in records.programs}
    running = programs.get((peak.pid, peak.index))
    parts = sorted(_parts(peak, programs, running), key=lambda part: -part.bytes)
    return PeakSummary(peak.device, peak.during, peak.live, running.name if running else "", tuple(parts))


def _parts(
    peak: PeakRecord, programs: dict[tuple[int, int], ProgramRecord], running: ProgramRecord | None
) -> Iterator[PeakPart]:
    if running is not None and peak.during > peak.live:
        what = "temporaries and outputs of the running program"
        yield PeakPart(what, peak.during - peak.live, 1, running.name, running.python)
    for arrays in peak.arrays:
        yield _arrays(arrays, programs.get((peak.pid, arrays.program)))


def _arrays(arrays: LiveArrays, maker: ProgramRecord | None) -> PeakPart:
    return PeakPart(arrays.type, arrays.bytes, arrays.count, arrays.maker, maker.python if maker else "")

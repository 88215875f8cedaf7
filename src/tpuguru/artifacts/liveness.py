"""Reading live-range.txt: when each buffer lives, and how much is live at each position of the schedule."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.artifacts.buffers import Assignment
from tpuguru.artifacts.memory_model import Timeline, TimelinePoint

_POSITION = re.compile(rb"\s+(\d+):(\S+)")
_RANGE = re.compile(rb"\s+(\S+?)(\{[\d,]*\}):(\d+)-(\d+)")
_PEAK = re.compile(rb"\s*Live ranges at (\d+) \(peak\)")
_MOST_POINTS = 512


@dataclass(slots=True)
class LiveRanges:
    """The schedule, each value's first and last position, and the compiler's own peak position."""

    schedule: dict[int, str] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    peak_at: int | None = None

    @property
    def length(self) -> int:
        """Number of positions in the schedule."""
        return max(self.schedule, default=-1) + 1


def read_live_ranges(path: Path) -> LiveRanges:
    """Read a live-range dump; unreadable lines are skipped. Raises OSError only."""
    with path.open("rb") as file:
        return parse_live_ranges(file)


def parse_live_ranges(lines: Iterable[bytes]) -> LiveRanges:
    """Parse the lines of a live-range dump."""
    live = LiveRanges()
    section = ""
    for line in lines:
        word = line.strip()
        if word in (b"InstructionSequence:", b"BufferLiveRange:"):
            section = word.decode()
        elif found := _PEAK.match(line):
            live.peak_at, section = int(found[1]), ""
        elif section == "InstructionSequence:" and (found := _POSITION.match(line)):
            live.schedule[int(found[1])] = found[2].decode("utf-8", "replace")
        elif section == "BufferLiveRange:" and (found := _RANGE.match(line)):
            name = found[1].decode("utf-8", "replace") + _index(found[2])
            live.ranges[name] = int(found[3]), int(found[4])
    return live


def _index(raw: bytes) -> str:
    return "" if raw == b"{}" else raw.decode()


def live_slots(
    assignment: Assignment, live: LiveRanges, *, colour: int = 0
) -> dict[tuple[int, int], list[str]]:
    """Group a memory space's values by the place they share: (allocation, offset) → names with a range."""
    slots: dict[tuple[int, int], list[str]] = {}
    for name in live.ranges:
        value = assignment.values.get(name)
        if value and value.colour == colour:
            slots.setdefault((value.allocation, value.offset), []).append(name)
    return slots


def timeline(assignment: Assignment, live: LiveRanges) -> Timeline | None:
    """Sum live HBM bytes over the schedule; None when nothing is scheduled.

    Values at the same place (aliases, loop state updated in place) count once while any of them lives.
    Inputs, outputs and constants are there throughout, as the caller owns their memory.
    """
    length = live.length
    if not length:
        return None
    change = [0] * (length + 1)
    whole = assignment.total(("parameter", "constant", "output"))
    for (allocation, _), names in live_slots(assignment, live).items():
        if assignment.allocations[allocation].kind == "temporary":
            for start, end, size in _merged(assignment, live, names):
                change[min(start, length)] += size
                change[min(end + 1, length)] -= size
    return _curve(change, whole, live)


def _merged(assignment: Assignment, live: LiveRanges, names: list[str]) -> list[tuple[int, int, int]]:
    """Unite overlapping ranges at one place; a united range is as big as its biggest value."""
    spans = sorted((*live.ranges[name], assignment.values[name].bytes) for name in names)
    merged: list[tuple[int, int, int]] = []
    for start, end, size in spans:
        if merged and start <= merged[-1][1]:
            first, last, bytes_ = merged[-1]
            merged[-1] = first, max(last, end), max(bytes_, size)
        else:
            merged.append((start, end, size))
    return merged


def _curve(change: list[int], whole: int, live: LiveRanges) -> Timeline:
    length = len(change) - 1
    step = max(1, -(-length // _MOST_POINTS))
    points: list[TimelinePoint] = []
    level, best = whole, (-1, 0)
    window = (-1, 0)
    for position in range(length):
        level += change[position]
        window = max(window, (level, -position))
        best = max(best, (level, -position))
        if (position + 1) % step == 0 or position == length - 1:
            points.append(_point(window, live))
            window = (-1, 0)
    peak = _point(best, live)
    return Timeline(length, peak.at, peak.bytes, peak.instruction, tuple(points))


def _point(level: tuple[int, int], live: LiveRanges) -> TimelinePoint:
    size, position = level[0], -level[1]
    return TimelinePoint(position, size, live.schedule.get(position, ""))

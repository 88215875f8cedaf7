"""Reading buffer-assignment.txt: every allocation and the values in it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_ALLOCATION = re.compile(rb"allocation (\d+): size (\d+)(?:, color (\d+))?(.*)")
_VALUE = re.compile(rb"\s*value: <(\d+) (\S+)(?: \(phi\))? @(\d+)> \(size=(\d+),offset=(\d+)\): (.*)")
_PARAMETER = re.compile(rb"parameter (\d+)")


@dataclass(frozen=True, slots=True)
class AssignedValue:
    """A value with a place. ``name`` is ``instruction`` or ``instruction{1,2}`` for a tuple's element."""

    name: str
    bytes: int
    offset: int
    shape: str
    allocation: int
    colour: int


@dataclass(slots=True)
class Allocation:
    """A block of one memory space (``colour``; 0 = HBM)."""

    number: int
    bytes: int
    colour: int
    parameter: int | None
    live_out: bool
    constant: bool
    temporary: bool
    thread_local: bool

    @property
    def kind(self) -> str:
        """Parameter | constant | output | temporary."""
        if self.parameter is not None:
            return "parameter"
        if self.constant:
            return "constant"
        return "output" if self.live_out else "temporary"


@dataclass(slots=True)
class Assignment:
    """All allocations by number and all values by name."""

    allocations: dict[int, Allocation] = field(default_factory=dict)
    values: dict[str, AssignedValue] = field(default_factory=dict)
    truncated: bool = False

    def total(self, kinds: Iterable[str], *, colour: int = 0) -> int:
        """Return the bytes of the allocations of these kinds in one space, without thread-local ones."""
        wanted = frozenset(kinds)
        return sum(
            allocation.bytes
            for allocation in self.allocations.values()
            if allocation.colour == colour and allocation.kind in wanted and not allocation.thread_local
        )


def read_assignment(path: Path) -> Assignment:
    """Read a buffer assignment; lines that make no sense are skipped. Raises OSError only."""
    with path.open("rb") as file:
        return parse_assignment(file)


def parse_assignment(lines: Iterable[bytes]) -> Assignment:
    """Parse the lines of a buffer assignment."""
    assignment = Assignment()
    current: Allocation | None = None
    last = b"\n"
    for line in lines:
        last = line
        if line.startswith(b"allocation ") and (found := _ALLOCATION.match(line)):
            current = _allocation(found)
            assignment.allocations[current.number] = current
        elif current and (found := _VALUE.match(line)):
            value = _value(found, current)
            assignment.values.setdefault(value.name, value)
    assignment.truncated = not last.endswith(b"\n")
    return assignment


def _allocation(found: re.Match[bytes]) -> Allocation:
    number, size, colour, rest = found.groups()
    parameter = _PARAMETER.search(rest)
    return Allocation(
        number=int(number),
        bytes=int(size),
        colour=int(colour or 0),
        parameter=int(parameter[1]) if parameter else None,
        live_out=b"maybe-live-out" in rest or b"output shape" in rest,
        constant=b"constant" in rest,
        temporary=b"preallocated-temp" in rest,
        thread_local=b"thread-local" in rest,
    )


def _value(found: re.Match[bytes], allocation: Allocation) -> AssignedValue:
    _, name, _, size, offset, shape = found.groups()
    return AssignedValue(
        name=name.decode("utf-8", "replace"),
        bytes=int(size),
        offset=int(offset),
        shape=shape.decode("utf-8", "replace").strip(),
        allocation=allocation.number,
        colour=allocation.colour,
    )


def read_spaces(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (name, colour, bytes) of each memory space in a memory-usage report. Raises OSError only."""
    name, colour = "", 0
    with path.open("rb") as file:
        for line in file:
            if found := re.match(rb"Memory Space: (\S+) \(color=(\d+)\)", line):
                name, colour = found[1].decode("utf-8", "replace"), int(found[2])
            elif name and (found := re.match(rb"Total bytes: (\d+)", line)):
                yield name, colour, int(found[1])
                name = ""

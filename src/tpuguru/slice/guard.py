"""Notice a program that would never end: it compiles ever more programs, or loops on a value nobody knows."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tpuguru.slice.summary import argument_change

DEFAULT_MOST_PROGRAMS = 4000
"""Different programs of one process. A vLLM server compiles about 60, eager PyTorch 250 to 600 a model."""
DEFAULT_MOST_READS = 10_000
"""Reads of an unknown value by one run of one loop."""

_SHARE_OF_ONE_NAME = 4
_MOST_AT_ONCE = 16 << 20  # bytes of records that are looked at in one go: more than the longest line
"""A quarter of them under one name: one function with ever new shapes."""
_EVENTS = (b'{"event":"client"', b'{"event":"program"', b'{"event":"first_execution"', b'{"event":"unknown')


@dataclass(slots=True)
class _Name:
    """The programs of one name in one process: their contents, and the first and last one's arguments."""

    contents: set[str] = field(default_factory=set)
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    python: str = ""


@dataclass(slots=True)
class _Process:
    label: str = ""
    contents: set[str] = field(default_factory=set)
    names: dict[str, _Name] = field(default_factory=lambda: defaultdict(_Name))
    by_index: dict[int, str] = field(default_factory=dict)
    reads: dict[int, str] = field(default_factory=dict)


class Guard:
    """Follows the records of a run."""

    def __init__(self, index: Path, most_programs: int, most_reads: int) -> None:
        """Follow ``index`` (index.jsonl, which need not be there yet)."""
        self._index = index
        self._most_programs = most_programs
        self._most_reads = most_reads
        self._at = 0
        self._processes: dict[int, _Process] = defaultdict(_Process)

    def look(self) -> str:
        """Read what was recorded since the last look; return why the run should be stopped, or nothing."""
        for event in self._new_events():
            reason = self._note(event, self._processes[int(event["pid"])])
            if reason:
                return reason
        return ""

    def _new_events(self) -> Iterator[dict[str, Any]]:
        if not self._index.is_file():
            return  # not there yet, or a device: one that is always full reads as zeros without end
        with self._index.open("rb") as file:
            file.seek(self._at)
            new = file.read(_MOST_AT_ONCE)
        whole = new[: new.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            if line.startswith(_EVENTS):
                yield json.loads(line)

    def _note(self, event: dict[str, Any], process: _Process) -> str:
        match event["event"]:
            case "client":
                process.label = f"process {event['process']}"
            case "program":
                return self._program(event, process)
            case "first_execution":
                self._executed(
                    tuple(event["arguments"]), process.names[process.by_index.get(event["index"], "")]
                )
            case "unknown_read" if event["use"] == "loop":
                process.reads[event["index"]] = f"{event['python']} asked {{}} times for {event['array']}"
            case "unknown_told" if event["in_loop"] >= self._most_reads and event["index"] in process.reads:
                asked = process.reads[event["index"]].format(event["in_loop"])
                return f"{asked}, which is not known here; its loop does not end whatever it is told"
        return ""

    def _executed(self, arguments: tuple[str, ...], name: _Name) -> None:
        name.first = name.first or arguments
        name.last = arguments

    def _program(self, event: dict[str, Any], process: _Process) -> str:
        name = process.names[event["name"]]
        name.contents.add(event["program"])
        name.python = event["python"] or name.python
        process.contents.add(event["program"])
        process.by_index[event["index"]] = event["name"]
        if len(name.contents) > self._most_programs // _SHARE_OF_ONE_NAME:
            change = argument_change(name.first, name.last) if name.first else ""
            grew = change if "→" in change else ""  # else it has no argument that could have grown
            return (
                f"{process.label} compiled {len(name.contents)} different programs named {event['name']}"
                f"{_at_line(name.python)}{f'; {grew}' if grew else ''}"
            )
        if len(process.contents) > self._most_programs:
            most = max(process.names, key=lambda each: len(process.names[each].contents))
            count = len(process.names[most].contents)
            return (
                f"{process.label} compiled {len(process.contents)} different programs, {count} of them named "
                f"{most}{_at_line(process.names[most].python)}"
            )
        return ""


def _at_line(python: str) -> str:
    return f" (at {python})" if python else ""

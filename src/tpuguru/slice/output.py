"""What a rehearsal's output says: warnings of the frameworks, each once; each rank's last traceback."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_LINE = re.compile(r"\[(\d+) (?:out|err)\] (.*)")
_RANK = re.compile(r"\[rank\d+\]:\s?")
# Not of the program: our own lines, what glog says of itself, and variables that the rehearsal sets.
_NOT_OF_THE_PROGRAM = (
    "tpuguru virtual slice:",
    "absl::InitializeLog()",
    "the TORCH_TPU_TOPOLOGY environment variable",
    "the TORCH_TPU_SLICEBUILDER_ADDRESSES environment variable",
)
# «x.py:12: UserWarning: text», Python's warnings module.
_PYTHON = re.compile(r"(?P<place>\S+\.py:\d+): (?P<kind>\w*Warning): (?P<text>.+)")
# «W0000 00:00:1796.7 123 file.cc:12] text», «[W1201 11:26:29 file.cpp:3] text»: glog's lines.
_GLOG = re.compile(
    r"\[?(?P<level>[WEF])\d{4} [\d:.]+\s+(?:\d+\s+)?(?P<place>[\w./<>-]+:\d+)\]\s*(?P<text>.+)"
)
# «WARNING:jax._src.x:12: text», «I1201 … file.py:3] WARNING: text».
_NAMED = re.compile(r"\b(?P<level>WARNING|WARN)\b[\s:\]]+(?P<text>.+)")
_FRAME = re.compile(r'\s+File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)')
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:: .*)?$")
_BEGINS = "Traceback (most recent call last):"
_INSTALLED = ("-packages/", "/lib/python3", "<frozen")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")
_MOST_WARNINGS = 500
_LONGEST = 400
_LONGEST_LINE = 100_000


@dataclass(frozen=True, slots=True)
class FrameworkWarning:
    """A warning, as it was first written; those that differ in numbers only are counted together."""

    text: str
    place: str
    count: int
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Traceback:
    """A rank's last traceback: the exception, the frame that raised it, the innermost frame of the user's."""

    rank: int
    exception: str
    raised_at: str
    user_line: str


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """What the output says. ``more_warnings`` counts different ones beyond the kept."""

    warnings: tuple[FrameworkWarning, ...] = ()
    more_warnings: int = 0
    tracebacks: tuple[Traceback, ...] = ()


@dataclass(slots=True)
class _Seen:
    text: str
    place: str
    count: int = 0
    ranks: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Trace:
    """A traceback while it is read."""

    frames: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)

    def add(self, frame: re.Match[str]) -> None:
        place = f"{frame['file']}:{frame['line']}"
        self.frames.append(place)
        if not any(mark in frame["file"] for mark in _INSTALLED):
            self.users.append(place)


def read_output(log: Path) -> OutputSummary:
    """Read ``output.log`` line by line; a log that is not there says nothing. It holds no secrets already."""
    if not log.is_file():
        return OutputSummary()
    reader = _Reader()
    with log.open(encoding="utf-8", errors="replace") as file:
        for rank, text in _lines(iter(lambda: file.readline(_LONGEST_LINE), "")):
            reader.feed(rank, text)
    return reader.summary()


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        found = _LINE.match(line.rstrip("\n"))
        if found:
            yield int(found[1]), _RANK.sub("", found[2], count=1)


class _Reader:
    def __init__(self) -> None:
        self._warnings: dict[str, _Seen] = {}
        self._more = 0
        self._open: dict[int, _Trace] = {}
        self._last: dict[int, Traceback] = {}

    def feed(self, rank: int, text: str) -> None:
        if self._traceback(rank, text):
            return
        warning = _warning(text)
        if warning is not None:
            self._count(rank, *warning)

    def summary(self) -> OutputSummary:
        found = [
            FrameworkWarning(seen.text, seen.place, seen.count, tuple(sorted(seen.ranks)))
            for seen in self._warnings.values()
        ]
        last = tuple(self._last[rank] for rank in sorted(self._last))
        return OutputSummary(tuple(sorted(found, key=lambda each: -each.count)), self._more, last)

    def _traceback(self, rank: int, text: str) -> bool:
        """Take a line that belongs to a traceback; tell whether it does."""
        if text.strip() == _BEGINS:
            self._open[rank] = _Trace()
            return True
        trace = self._open.get(rank)
        if trace is None:
            return False
        frame = _FRAME.match(text)
        if frame:
            trace.add(frame)
        elif text[:1].strip() and _EXCEPTION.match(text):
            del self._open[rank]
            raised = trace.frames[-1] if trace.frames else ""
            user = trace.users[-1] if trace.users else ""
            self._last[rank] = Traceback(rank, text[:_LONGEST], raised, user)
        return True

    def _count(self, rank: int, text: str, place: str) -> None:
        key = _NUMBER.sub("#", text)
        if key not in self._warnings and len(self._warnings) >= _MOST_WARNINGS:
            self._more += 1
            return
        seen = self._warnings.setdefault(key, _Seen(text[:_LONGEST], place))
        seen.count += 1
        seen.ranks.add(rank)


def _warning(text: str) -> tuple[str, str] | None:
    """Return a warning's text and place, or None for a line that is none."""
    if any(phrase in text for phrase in _NOT_OF_THE_PROGRAM):
        return None
    for pattern in (_PYTHON, _GLOG, _NAMED):
        found = pattern.search(text) if pattern is _NAMED else pattern.match(text)
        if found and _LETTER.search(found["text"]):
            parts = found.groupdict()
            kind = f"{parts['kind']}: " if "kind" in parts else ""
            return f"{kind}{parts['text'].strip()}", parts.get("place", "") or ""
    return None

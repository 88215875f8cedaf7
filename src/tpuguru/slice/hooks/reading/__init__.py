"""Say what a program is about to do with a value that it reads. The plugin asks when it may have no value.

Runs in the user's Python, imports nothing of ours outside this folder, and only looks: at the frames of the
thread that reads and at their source. An assert is told what lets it pass; a loop that would never end
without the value is told, after a while, what ends it (the plugin counts).
"""

import sys
from types import FrameType

from .decision import Decision, decision_of
from .flow import KNOWN_CHECKS
from .wanted import Answer, makes_whole, wanted_value

_MOST_FRAMES = 60


def describe(libraries: str, kind: str) -> str:
    """Return «use, wanted answer, whole, loop, reader, at», separated by tabs; empty when nothing is known.

    ``use`` is ``assert``, ``loop``, ``?`` (no source to look at) or empty. The wanted answer is a number, or
    empty. ``whole`` is 1 when the program makes a whole number of it, which no NaN can become. ``loop`` and
    ``reader`` are numbers of the calls of the functions that loop and that read, ``at`` is where in it the
    reader is; together they tell a second read in one condition from a read in the next turn of the loop.
    ``libraries`` are the packages that stand between a program and its devices, separated by spaces; ``kind``
    is ``bool`` for a truth value, else anything.
    """
    try:
        return _describe(sys._getframe(1), tuple(libraries.split()), kind)  # noqa: SLF001 - the documented way
    except Exception:  # noqa: BLE001 - the program must not fail because we could not understand it
        return ""


def _describe(frame: FrameType | None, libraries: tuple[str, ...], kind: str) -> str:
    frames: list[tuple[Decision, FrameType]] = []
    reader: FrameType | None = None
    while frame is not None and len(frames) < _MOST_FRAMES:
        file = frame.f_code.co_filename
        known = KNOWN_CHECKS.get((file.rpartition("-packages/")[2], frame.f_code.co_name))
        if known is not None:
            return _told("assert", known, frames)
        decision = decision_of(frame)
        frames.append((decision, frame))
        if reader is None and not _is_library(file, libraries):
            reader = frame
        if decision.use == "assert":
            return _told("assert", wanted_value(decision.truth, frames, kind), frames)
        if decision.use == "loop":
            told = _told("loop", wanted_value(decision.truth, frames, kind), frames)
            return told + _where(_function(frame), reader or frame)
        if decision.use != "return" and reader is not None:
            return _told(decision.use, None, frames)
        frame = frame.f_back
    return ""


def _told(use: str, wanted: Answer, frames: list[tuple[Decision, FrameType]]) -> str:
    number = "" if wanted is None else repr(float(wanted))
    return f"{use}\t{number}\t{int(_is_made_whole(frames))}"


def _function(frame: FrameType) -> FrameType:
    """Return the frame of the function that a generator expression is written in."""
    while frame.f_code.co_name in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>") and frame.f_back:
        frame = frame.f_back
    return frame


def _where(loop: FrameType, reader: FrameType) -> str:
    return f"\t{_number_of(loop)}\t{_number_of(reader)}\t{reader.f_lasti}"


def _is_made_whole(frames: list[tuple[Decision, FrameType]]) -> bool:
    return any(makes_whole(node) for decision, _ in frames for node in decision.path)


def _is_library(file: str, libraries: tuple[str, ...]) -> bool:
    _, installed, inside = file.rpartition("-packages/")
    if not installed:
        return "/lib/python3" in file or file.startswith("<frozen")
    return inside.split("/", 1)[0] in libraries


class _Mark:
    """Marks a frame as one call of its function. As the trace function it never is, it does nothing."""

    count = 0

    def __init__(self) -> None:
        _Mark.count += 1
        self.number = _Mark.count

    def __call__(self, *_: object) -> None:
        return None


def _number_of(frame: FrameType) -> int:
    """Return a number for this very call of the function: the address of a frame is used again by the next.

    ``f_trace`` is the one attribute of a frame that can be set; without a tracer it does nothing.
    """
    if frame.f_trace is None:
        frame.f_trace = _Mark()
    return frame.f_trace.number if isinstance(frame.f_trace, _Mark) else 0

"""Run every reader over a paste of any size in one pass.

A short paste is read whole. A block of a long log is searched for anchors with ``bytes.find`` (memory
speed); only the lines around a hit are decoded and read. So a log costs what its telling lines cost.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tpuguru.base.redaction import redact
from tpuguru.telemetry.excerpt import HEAD_BYTES, SHORT_PASTE_BYTES, Excerpt
from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import (
    Reader,
    accelerator,
    compiles,
    errors,
    figures,
    memory,
    serving,
    settings,
    training,
)

# Readers of single lines. In a long log they see the telling lines only.
READERS: tuple[Reader, ...] = (
    *memory.READERS,
    *errors.READERS,
    *settings.READERS,
    *figures.READERS,
    *accelerator.READERS,
    *compiles.READERS,
)

# Lines worth quoting from a long log; searched in lower case.
TELLING = (
    b"rror", b"exce", b"exhausted", b"warn", b"traceback", b"oom", b"memory", b"killed", b"halt", b"compil",
    b"fallback", b"falling", b"ignored", b"unsupport", b"timeout", b"timed out", b"deadlock", b"preempt",
    b"pending", b" slow", b": nan",
)  # fmt: skip
# Where nearly every line is a step, the few others are found by fewer words: such logs are the longest.
TELLING_AMONG_STEPS = (b"rror", b"exhausted", b"warn", b"traceback", b"compil", b": nan")
_MOSTLY_STEPS = 0.95
_MOST_LINES_PER_BLOCK = 400
LONGEST_LINE = 2**16


@dataclass(frozen=True, slots=True)
class Scan:
    """The outcome of one pass: what the readers observed, the lines to quote, and how much was read."""

    observation: Observation
    excerpt: Excerpt
    lines: int
    bytes: int


def scan(blocks: Iterable[bytes]) -> Scan:
    """Read blocks of whole lines (see :func:`tpuguru.telemetry.source.chunks`)."""
    observation, excerpt = Observation(), Excerpt()
    lines = size = 0
    for block in blocks:
        first = lines + 1
        size += len(block)
        steps = training.read_steps(block, first, observation)
        mostly_steps = steps >= _MOSTLY_STEPS * block.count(b"\n")
        for reader in () if mostly_steps else serving.READERS:
            for number, line in _hits(block, reader.anchors, first, _MOST_LINES_PER_BLOCK):
                reader.read(line, number, observation)
        head, rest = _split_short(block, size)
        _read_all(head, first, observation, excerpt)
        if rest:
            telling = TELLING_AMONG_STEPS if mostly_steps else TELLING
            _read_telling(rest, telling, first + head.count(b"\n"), (observation, excerpt))
        lines += block.count(b"\n")
    return Scan(observation, excerpt, lines, size)


def _split_short(block: bytes, size: int) -> tuple[bytes, bytes]:
    """Split off what is read whole: all of a short paste, the head of a long one."""
    before = size - len(block)
    if before >= SHORT_PASTE_BYTES:
        return b"", block
    if size <= SHORT_PASTE_BYTES:
        return block, b""
    cut = block.find(b"\n", HEAD_BYTES - min(before, HEAD_BYTES)) + 1
    return block[:cut], block[cut:]


def _read_all(block: bytes, first: int, observation: Observation, excerpt: Excerpt) -> None:
    if not block:
        return
    text = block.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
    excerpt.take_all([redact(line) for line in text], first)
    for offset, line in enumerate(text):
        _read_line(line[:LONGEST_LINE], first + offset, observation)


def _read_telling(
    block: bytes, anchors: Iterable[bytes], first: int, into: tuple[Observation, Excerpt]
) -> None:
    observation, excerpt = into
    for number, line in _hits(block, anchors, first, _MOST_LINES_PER_BLOCK, lower=True):
        if excerpt.offer(number, redact(line)):
            _read_line(line, number, observation)


def _read_line(line: str, number: int, observation: Observation) -> None:
    for reader in READERS:
        if any(anchor in line for anchor in reader.anchors):
            reader.read(line, number, observation)


def _hits(
    block: bytes, anchors: Iterable[bytes], first: int, most: int, *, lower: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of each line that holds an anchor, in order, once; ``most`` an anchor."""
    searched = block.lower() if lower else block
    starts: set[int] = set()
    for anchor in anchors:
        position, left = searched.find(anchor), most
        while position >= 0 and left:
            starts.add(searched.rfind(b"\n", 0, position) + 1)
            end = searched.find(b"\n", position)
            position = searched.find(anchor, end) if end >= 0 else -1
            left -= 1
    number, counted = first, 0
    for start in sorted(starts):
        number += block.count(b"\n", counted, start)
        counted = start
        end = block.find(b"\n", start)
        line = block[start : end if end >= 0 else len(block)][:LONGEST_LINE]
        yield number, line.decode("utf-8", errors="replace")

"""Run every reader over a paste of any size in one pass.

A block of some MiB is searched for each reader's anchors with ``bytes.find`` (memory speed); only the lines
around a hit are decoded and read. So a log costs what its telling lines cost, not what its size costs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tpuguru.base.redaction import redact
from tpuguru.telemetry.excerpt import SHORT_PASTE_BYTES, Excerpt
from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import (
    Reader,
    accelerator,
    errors,
    figures,
    memory,
    serving,
    settings,
    training,
)

READERS: tuple[Reader, ...] = (
    *training.READERS,
    *serving.READERS,
    *memory.READERS,
    *errors.READERS,
    *settings.READERS,
    *figures.READERS,
    *accelerator.READERS,
)

# Lines worth quoting from a long log even when no reader takes a value from them.
TELLING = (
    *errors.ERROR_ANCHORS,
    b"WARN",
    b"Warn",
    b"warning",
    b"Traceback",
    b"OOM",
    b"out of memory",
    b"Killed",
    b"signal",
    b"SIG",
    b"halt",
    b"recompil",
    b"Compiling",
    b"fallback",
    b"falling back",
    b"Falling back",
    b"ignored",
    b"unsupported",
    b"not supported",
    b"timeout",
    b"timed out",
    b"Timeout",
    b"hang",
    b"preempt",
    b"evict",
    b"Pending",
    b"nan",
    b"NaN",
)
_MOST_HITS_PER_BLOCK = 20_000


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
        if size + len(block) <= SHORT_PASTE_BYTES:
            text = redact(block.decode("utf-8", errors="replace"))
            excerpt.take_all(text.split("\n"), first)
        else:
            _offer(block, first, excerpt)
        for reader in READERS:
            for number, line in _hits(block, reader.anchors, first):
                reader.read(line, number, observation)
        lines += block.count(b"\n")
        size += len(block)
    return Scan(observation, excerpt, lines, size)


def _offer(block: bytes, first: int, excerpt: Excerpt) -> None:
    for number, line in _hits(block, TELLING, first, most=2_000):
        excerpt.offer(number, redact(line))


def _hits(
    block: bytes, anchors: Iterable[bytes], first: int, most: int = _MOST_HITS_PER_BLOCK
) -> Iterator[tuple[int, str]]:
    """Yield (line number, line) for each line that holds an anchor, in order, each once."""
    starts: set[int] = set()
    for anchor in anchors:
        position = block.find(anchor)
        while position >= 0 and len(starts) < most:
            start = block.rfind(b"\n", 0, position) + 1
            starts.add(start)
            end = block.find(b"\n", position)
            position = block.find(anchor, end) if end >= 0 else -1
    number, counted = first, 0
    for start in sorted(starts):
        number += block.count(b"\n", counted, start)
        counted = start
        end = block.find(b"\n", start)
        yield (
            number,
            block[start : end if end >= 0 else len(block)][: 2**16].decode("utf-8", errors="replace"),
        )

"""Open a paste of any size: plain or gzip, coloured, truncated; read in blocks of whole lines."""

import gzip
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from tpuguru.base.errors import NothingToCheckError, UsageError

CHUNK_BYTES = 4 * 2**20
LONGEST_LINE_BYTES = 2**20  # a longer «line» is data, not a message; it is cut there
_ANSI = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def open_paste(path: str) -> Iterator[BinaryIO]:
    """Open ``path`` (``-``: standard input) for reading bytes; UsageError when it cannot be read."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below; gzip needs to look first
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", help="give a file, or - for standard input"
        ) from error
    with file:
        compressed = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        yield cast("BinaryIO", gzip.GzipFile(fileobj=file)) if compressed else file


def chunks(file: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield blocks of whole lines, colours removed.

    A line is never split over two blocks unless it is longer than ``LONGEST_LINE_BYTES``.
    NothingToCheckError for empty input, UsageError for binary input.
    """
    rest = b""
    empty = True
    while block := _read(file, path):
        if empty:
            _refuse_binary(block, path)
            empty = False
        block = rest + block
        cut = block.rfind(b"\n") + 1
        if not cut and len(block) < LONGEST_LINE_BYTES:
            rest = block
            continue
        cut = cut or len(block)
        rest = block[cut:]
        yield plain(block[:cut])
    if rest:
        yield plain(rest)
    if empty:
        raise NothingToCheckError(f"{path} is empty", help="paste the log, the error or the report")


def plain(block: bytes) -> bytes:
    """Remove terminal colours and the carriage returns of progress bars."""
    if b"\x1b" in block:
        block = _ANSI.sub(b"", block)
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _read(file: BinaryIO, path: str) -> bytes:
    try:
        return file.read(CHUNK_BYTES)
    except EOFError:  # a truncated gzip: what was read so far is still worth reading
        return b""
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def _refuse_binary(block: bytes, path: str) -> None:
    head = block[:4096]
    if not head:
        return
    strange = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    if b"\x00" in head or strange > len(head) // 10:
        raise UsageError(
            f"{path} is binary, not a text log",
            help="an XProf profile must end in .xplane.pb; for anything else paste the text",
        )

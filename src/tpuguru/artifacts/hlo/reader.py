"""One streaming pass over HLO text. Memory is bounded by the largest computation, not by the file."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from tpuguru.artifacts.hlo.computation import OpenComputation, make_line
from tpuguru.artifacts.hlo.module import Module

# (ROOT), name, shape, opcode. A tuple's shape never holds «) word(», so the first one ends it.
_INSTRUCTION = re.compile(rb"\s+(ROOT )?%?([^\s=]+) = ([^\s(]\S*|\(.*?\)) ([a-z][a-z0-9\-]*)\(")
_COMPUTATION = re.compile(rb"(ENTRY )?%?([^\s(]+) \(")
_TABLE_ROW = re.compile(rb"(\d+) (.*)")
_TABLES = {b"FileNames": "files", b"FileLocations": "locations", b"StackFrames": "frames"}
_OTHER_TABLES = frozenset((b"FunctionNames",))
_METADATA = b", metadata={"
_LONGEST_LINE = 8 * 2**20  # a longer line is cut: a hostile file must not fill memory

type Progress = Callable[[int], None]


def read_module(path: Path, *, wanted: Collection[str] = (), progress: Progress | None = None) -> Module:
    """Read an HLO text file.

    ``wanted`` are instruction names whose metadata is kept whatever their opcode; ``progress`` is told the
    bytes read so far. What cannot be read is named in ``Module.problems``; a truncated file yields what came
    before the cut. Raises OSError only.
    """
    with path.open("rb") as file:
        return read_lines(_lines(file.readline), wanted=wanted, progress=progress)


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    while line := readline(_LONGEST_LINE):
        yield line


def read_lines(
    lines: Iterable[bytes], *, wanted: Collection[str] = (), progress: Progress | None = None
) -> Module:
    """Read HLO text given as lines; see :func:`read_module`."""
    reader = _Reader({name.encode() for name in wanted})
    done = 0
    for count, line in enumerate(lines):
        reader.feed(line)
        done += len(line)
        if progress and not count & 0x3FFF:
            progress(done)
    return reader.finish()


class _Reader:
    def __init__(self, wanted: set[bytes]) -> None:
        self.module = Module()
        self._wanted = wanted
        self._open: OpenComputation | None = None
        self._continued = False  # inside an attribute that spans lines
        self._table = ""
        self._digest = hashlib.sha256()
        self._opcodes: Counter[bytes] = Counter()

    def feed(self, text: bytes) -> None:
        if self._open is None:
            self._outside(text)
        elif self._continued:
            self._open.extend(text)
            self._continued = not text.startswith(b"}}")
        elif found := _INSTRUCTION.match(text):
            self._instruction(self._open, text, found)
        elif text.startswith(b"}"):
            self._close(self._open)
        else:
            self._open.extend(text)

    def _instruction(self, computation: OpenComputation, text: bytes, found: re.Match[bytes]) -> None:
        root, name, shape, opcode = found.groups()
        self._opcodes[opcode] += 1
        self._hash(text)
        line = make_line(name, shape, opcode, text, found.end(), root=root is not None)
        computation.add(line)
        if name in self._wanted:
            computation.want(line)
        self._continued = text.endswith(b"{\n")

    def _outside(self, text: bytes) -> None:
        word = text.strip()
        if text.startswith(b"HloModule "):
            self.module.header = text.decode("utf-8", "replace").rstrip()
            self.module.name = re.split(r"[,\s]", self.module.header[len("HloModule ") :], maxsplit=1)[0]
            self._hash(text)
        elif word in _TABLES:
            self._table = _TABLES[word]
        elif word in _OTHER_TABLES:
            self._table = ""
        elif word.endswith(b"{") and (found := _COMPUTATION.match(text)):
            self._table = ""
            self._open = OpenComputation(found[2].decode("utf-8", "replace"), entry=found[1] is not None)
        elif self._table and (row := _TABLE_ROW.match(text)):
            rows: dict[int, str] = getattr(self.module.tables, self._table)
            rows[int(row[1])] = row[2].decode("utf-8", "replace").strip().strip('"')

    def _hash(self, text: bytes) -> None:
        # Source places and op names move when a comment is added; the program does not.
        start = text.find(_METADATA)
        if start < 0:
            self._digest.update(text)
            return
        self._digest.update(text[:start])
        self._digest.update(text[text.find(b"}", start) + 1 :])

    def _close(self, open_computation: OpenComputation) -> None:
        computation, wanted = open_computation.close()
        self.module.computations[computation.name] = computation
        self.module.wanted.update(wanted)
        if computation.entry:
            self.module.entry = computation.name
        self._open = None

    def finish(self) -> Module:
        module = self.module
        if self._open is not None:
            module.problems.append(f"the HLO text ends inside computation {self._open.name}")
            self._close(self._open)
        module.opcodes = {opcode.decode("utf-8", "replace"): count for opcode, count in self._opcodes.items()}
        module.instruction_count = self._opcodes.total()
        module.fingerprint = self._digest.hexdigest() if module.instruction_count else ""
        if not module.header:
            module.problems.append("the HLO text has no HloModule line")
        if not module.entry:
            module.problems.append("the HLO text has no ENTRY computation")
        return module

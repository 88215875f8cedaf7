"""A computation while it is being read: operand shapes are resolved when it closes, then it is let go."""

import re
from typing import NamedTuple

from tpuguru.artifacts.hlo.module import Computation, Instruction, Scalar, ScalarOperation
from tpuguru.artifacts.hlo.shapes import elements_of

COLLECTIVES = (
    "all-gather",
    "all-reduce",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
    "send",
    "recv",
)
_KEPT = frozenset(
    opcode.encode()
    for opcode in (
        *COLLECTIVES,
        *(f"{kind}-start" for kind in COLLECTIVES),
        "dot", "ragged-dot", "convolution", "fusion", "while", "call", "conditional", "custom-call",
        "async-start", "call-start", "custom-call-start", "fusion-start",
        "copy-start", "copy", "dynamic-update-slice-start", "dynamic-slice-start", "exponential",
    )
)  # fmt: skip
_COUNTING = frozenset((b"compare", b"constant", b"add", b"tuple", b"fusion", b"get-tuple-element", b"copy"))
_MOST_COPIES = 8  # copies of a constant looked through
# Instructions that hand a buffer on without computing: what filled it is found through their first operand.
_PASSING = frozenset((b"bitcast", b"copy-done", b"async-done", b"get-tuple-element", b"copy", b"copy-start"))
_MOST_HOPS = 8
_WITHOUT_SHAPES = frozenset((b"fusion", b"while", b"call", b"conditional"))
_INTEGER = re.compile(rb"[su](?:8|16|32|64)\[\]|pred\[\]")
_OPERAND = re.compile(rb"%([^\s,()]+)")
_BARE_OPERAND = re.compile(rb"([A-Za-z_][^\s,()]*)\s*(?:,|$)")
_CONSTANT = re.compile(rb"constant\((-?\d+)\)")
_INDEX = re.compile(rb"\bindex=(\d+)")
_DIRECTION = re.compile(rb"\bdirection=(\w+)")
_CALLS = re.compile(rb"\bcalls=%?([^\s,]+)")
_PARAMETER = re.compile(rb"parameter\((\d+)\)")
_OP_NAME = b'op_name="'
_PARENTHESIS = re.compile(rb"[()]")
_KERNEL_BODY = re.compile(rb'"body":"[^"]*"')
_LONGEST_ATTRIBUTES = 2**20  # continuation lines beyond this are dropped


class _Line(NamedTuple):
    name: bytes
    shape: bytes
    opcode: bytes
    text: bytes
    start: int  # of the operands
    root: bool


class OpenComputation:
    """Collects a computation's lines; :meth:`close` turns them into a :class:`Computation`."""

    def __init__(self, name: str, *, entry: bool) -> None:
        """Start an empty computation."""
        self.name = name
        self.entry = entry
        self._shapes: dict[bytes, bytes] = {}
        self._texts: dict[bytes, str] = {}
        self._kept: list[_Line] = []
        self._counting: dict[bytes, _Line] = {}
        self._parameters: dict[bytes, int] = {}
        self._wanted: list[_Line] = []
        self._passing: dict[bytes, _Line] = {}
        self._root: _Line | None = None
        self._last_kept = False

    def add(self, line: _Line) -> None:
        """Take one instruction."""
        name, shape, opcode, text, start, root = line
        self._shapes[name] = shape
        self._last_kept = opcode in _KEPT
        if self._last_kept:
            if opcode == b"custom-call" and b'"body":"' in text:
                line = line._replace(text=_KERNEL_BODY.sub(b'"body":""', text))
            self._kept.append(line)
        elif opcode == b"parameter":
            found = _PARAMETER.match(text, start - len(b"parameter("))
            self._parameters[name] = int(found[1]) if found else len(self._parameters)
            if self.entry:
                self._wanted.append(line)
        if opcode in _COUNTING and (opcode in (b"tuple", b"get-tuple-element") or _INTEGER.match(shape)):
            self._counting[name] = line
        if opcode in _PASSING:
            self._passing[name] = line
        if root:
            self._root = line

    def extend(self, text: bytes) -> None:
        """Take a further line of the last instruction (an attribute may hold line breaks)."""
        if self._last_kept and len(self._kept[-1].text) < _LONGEST_ATTRIBUTES:
            last = self._kept[-1]
            if b'"body":"' in text:
                text = _KERNEL_BODY.sub(b'"body":""', text)
            self._kept[-1] = last._replace(text=last.text + text)

    def want(self, line: _Line) -> None:
        """Keep the metadata of an instruction whatever its opcode."""
        self._wanted.append(line)

    def close(self) -> tuple[Computation, dict[str, Instruction]]:
        """Return the computation, and the instructions kept for their metadata by name."""
        computation = Computation(self.name, entry=self.entry)
        self._add_counting(computation)
        kept = {line.name: line for line in self._kept} if self._wanted else {}
        whole = (kept.get(line.name, line) for line in self._wanted)  # with attributes that span lines
        wanted = {_text(line.name): self._instruction(self._with_op_name(line, kept)) for line in whole}
        self._kept.reverse()
        while self._kept:  # each line is let go as soon as it is read, or the two forms would add up
            computation.instructions.append(self._instruction(self._kept.pop()))
        if self.entry:
            computation.parameters = {
                number: wanted[_text(name)] for name, number in self._parameters.items()
            }
        return computation, wanted

    def _instruction(self, line: _Line) -> Instruction:
        end = _closing(line.text, line.start)
        operands = _operands(line.text[line.start : end]) if line.opcode != b"parameter" else []
        shapes = () if line.opcode in _WITHOUT_SHAPES else tuple(self._shape(name) for name in operands)
        return Instruction(
            name=_text(line.name),
            opcode=self._shared(line.opcode),
            shape=self._shared(line.shape),
            operands=tuple(_text(name) for name in operands),
            operand_shapes=shapes,
            attributes=_text(line.text[end + 1 :]).lstrip(", ").rstrip(),
            computation=self.name,
            root=line.root,
        )

    def _with_op_name(self, line: _Line, kept: dict[bytes, _Line]) -> _Line:
        """Give an instruction that only passes a buffer on the metadata of the one that filled it."""
        origin = line
        for _ in range(_MOST_HOPS):
            if _OP_NAME in origin.text or origin.name not in self._passing:
                break
            name = next(iter(_operands_of(origin)), b"").partition(b"#")[0]
            found = self._passing.get(name) or kept.get(name)
            if found is None:
                break
            origin = found
        start = origin.text.find(b"metadata={" + _OP_NAME)
        if origin is line or start < 0:
            return line
        metadata = origin.text[start : origin.text.find(b"}", start) + 1]
        return line._replace(text=line.text.rstrip() + b", " + metadata)

    def _shared(self, raw: bytes) -> str:
        """Decode a text that many instructions have in common, once."""
        return self._texts.setdefault(raw, _text(raw))

    def _shape(self, operand: bytes) -> str:
        name, _, element = operand.partition(b"#")
        shape = self._shared(self._shapes.get(operand, b"") or self._shapes.get(name, b""))
        if not element.isdigit():
            return shape
        parts = elements_of(shape)
        return parts[int(element)] if int(element) < len(parts) else ""

    def _add_counting(self, computation: Computation) -> None:
        if self._root is None:
            return
        if self._root.opcode == b"tuple":
            for index, name in enumerate(_operands_of(self._root)):
                operation = self._operation(self._counting.get(name))
                if operation:
                    computation.updates[index] = operation
        else:
            computation.root = self._operation(self._counting.get(self._root.name))
        for line in self._kept:
            if line.opcode == b"while":
                for name in _operands_of(line):
                    start = self._counting.get(name)
                    if start and start.opcode == b"tuple":
                        scalars = tuple(self._scalar(operand) for operand in _operands_of(start))
                        computation.tuples[_text(name)] = scalars

    def _operation(self, line: _Line | None) -> ScalarOperation | None:
        if line is None or line.opcode not in (b"compare", b"add", b"fusion"):
            return None
        direction, calls = _DIRECTION.search(line.text), _CALLS.search(line.text)
        return ScalarOperation(
            opcode=_text(line.opcode),
            operands=tuple(self._scalar(name) for name in _operands_of(line)),
            direction=_text(direction[1]) if direction else "",
            callee=_text(calls[1]) if calls else "",
        )

    def _scalar(self, operand: bytes, depth: int = 0) -> Scalar:
        name, _, element = operand.partition(b"#")
        if name in self._parameters:
            return Scalar(element=int(element) if element.isdigit() else self._parameters[name])
        line = self._counting.get(name)
        if line is None:
            return Scalar()
        if line.opcode == b"constant":
            found = _CONSTANT.match(line.text, line.start - len(b"constant("))
            return Scalar(constant=int(found[1])) if found else Scalar()
        if line.opcode == b"get-tuple-element":
            found = _INDEX.search(line.text, line.start)
            return Scalar(element=int(found[1])) if found else Scalar()
        if line.opcode == b"copy" and depth < _MOST_COPIES and (sources := _operands_of(line)):
            return self._scalar(sources[0], depth + 1)
        return Scalar()


def make_line(name: bytes, shape: bytes, opcode: bytes, text: bytes, start: int, *, root: bool) -> _Line:
    """Return an instruction's line as :class:`OpenComputation` takes it."""
    return _Line(name, shape, opcode, text, start, root)


def _closing(text: bytes, start: int) -> int:
    """Return the position of the parenthesis that closes the operand list begun at ``start``."""
    end = text.find(b")", start)
    if end < 0:
        return len(text)
    if text.find(b"(", start, end) < 0:
        return end
    depth = 1
    for found in _PARENTHESIS.finditer(text, start):
        depth += 1 if found[0] == b"(" else -1
        if depth == 0:
            return found.start()
    return len(text)


def _operands(text: bytes) -> list[bytes]:
    return _OPERAND.findall(text) if b"%" in text else _BARE_OPERAND.findall(text)


def _operands_of(line: _Line) -> list[bytes]:
    return _operands(line.text[line.start : _closing(line.text, line.start)])


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

"""What is kept of an HLO module after one pass over its text."""

import re
from dataclasses import dataclass, field

_OP_NAME = re.compile(r'op_name="((?:[^"\\]|\\.)*)"')
_FRAME = re.compile(r"stack_frame_id=(\d+)")
_SOURCE = re.compile(r'source_file="([^"]*)" source_line=(\d+)')
_CALLEE = re.compile(
    r"\b(?:calls|to_apply|body|called_computations|branch_computations|true_computation|false_computation)="
    r"(\{[^}]*\}|%?[^\s,]+)"
)
_NAME = re.compile(r"%?([^\s,{}]+)")


@dataclass(slots=True)
class Instruction:
    """An instruction that a reader may ask about.

    ``shape`` is the result's shape text; ``operands`` are names («x», or «x#2» for element 2 of a tuple) and
    ``operand_shapes`` their shape texts (``""`` when not known); ``attributes`` is the text after the
    operands, without the bodies of Mosaic kernels.
    """

    name: str
    opcode: str
    shape: str
    operands: tuple[str, ...]
    operand_shapes: tuple[str, ...]
    attributes: str
    computation: str
    root: bool = False

    @property
    def op_name(self) -> str:
        """The framework's path of the operation, or ``""``."""
        found = _OP_NAME.search(self.attributes)
        return found[1].replace("\\'", "'") if found else ""

    @property
    def frame(self) -> int:
        """The stack frame's number in the module's tables; 0 when there is none."""
        found = _FRAME.search(self.attributes)
        return int(found[1]) if found else 0

    @property
    def source(self) -> tuple[str, int]:
        """File and line as older dumps print them in place; ``("", 0)`` when they do not."""
        found = _SOURCE.search(self.attributes)
        return (found[1], int(found[2])) if found else ("", 0)

    def attribute(self, name: str) -> str:
        """Return the text of a ``name=value`` attribute; a value in braces or brackets is returned whole."""
        found = re.search(rf"\b{name}=", self.attributes)
        return balanced(self.attributes, found.end()) if found else ""

    def callees(self) -> list[str]:
        """Return the names of the computations that the instruction runs (a loop's condition left out)."""
        if self.opcode.removesuffix("-start") in ("all-reduce", "reduce-scatter"):
            return []  # the reduction applied to each element is no program part
        return [name for value in _CALLEE.findall(self.attributes) for name in _NAME.findall(value)]


def balanced(text: str, start: int) -> str:
    """Return the value that begins at ``start``: up to the comma or space outside braces and quotes."""
    depth, quoted = 0, False
    for position in range(start, len(text)):
        character = text[position]
        if character == '"' and text[position - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "{[(":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0:
                return text[start:position]
        elif character in ", \n" and depth == 0:
            return text[start:position]
    return text[start:]


@dataclass(frozen=True, slots=True)
class Scalar:
    """An integer operand: a constant, or element ``element`` of the computation's state (or parameter)."""

    constant: int | None = None
    element: int | None = None


@dataclass(frozen=True, slots=True)
class ScalarOperation:
    """An integer operation as far as loop counting needs it: compare, add, or a fusion that holds one."""

    opcode: str
    operands: tuple[Scalar, ...]
    direction: str = ""
    callee: str = ""


@dataclass(slots=True)
class Computation:
    """A computation: the instructions kept, and what is needed to count loop trips.

    ``root`` is its result when that is an integer operation; ``updates`` says how the elements of a result
    tuple were computed; ``tuples`` holds the integer elements of tuples that loops start from.
    """

    name: str
    entry: bool = False
    instructions: list[Instruction] = field(default_factory=list)
    parameters: dict[int, Instruction] = field(default_factory=dict)  # of the entry computation only
    root: ScalarOperation | None = None
    updates: dict[int, ScalarOperation] = field(default_factory=dict)
    tuples: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class SourceTables:
    """The tables at the head of newer HLO text that replace source_file/source_line."""

    files: dict[int, str] = field(default_factory=dict)
    locations: dict[int, str] = field(default_factory=dict)
    frames: dict[int, str] = field(default_factory=dict)

    def locate(self, frame: int) -> tuple[str, int]:
        """Return the innermost file and line of a stack frame; ``("", 0)`` when unknown."""
        location = _number(self.frames.get(frame, ""), "file_location_id")
        text = self.locations.get(location, "")
        return self.files.get(_number(text, "file_name_id"), ""), _number(text, "line")


def _number(text: str, name: str) -> int:
    found = re.search(rf"\b{name}=(\d+)", text)
    return int(found[1]) if found else 0


@dataclass(slots=True)
class Module:
    """One HLO module. ``header`` is its first line; ``wanted`` maps asked-for names to their metadata."""

    name: str = ""
    header: str = ""
    computations: dict[str, Computation] = field(default_factory=dict)
    entry: str = ""
    instruction_count: int = 0
    fingerprint: str = ""
    opcodes: dict[str, int] = field(default_factory=dict)
    wanted: dict[str, Instruction] = field(default_factory=dict)
    tables: SourceTables = field(default_factory=SourceTables)
    problems: list[str] = field(default_factory=list)

    def instructions(self, *opcodes: str) -> list[Instruction]:
        """Return the kept instructions, of these opcodes only when any are named."""
        return [
            instruction
            for computation in self.computations.values()
            for instruction in computation.instructions
            if not opcodes or instruction.opcode in opcodes
        ]

    @property
    def parameters(self) -> dict[int, Instruction]:
        """The entry computation's parameters by number."""
        entry = self.computations.get(self.entry)
        return entry.parameters if entry else {}

    def header_value(self, name: str) -> str:
        """Return the text of an attribute in the module's first line, or ``""``."""
        found = re.search(rf"[,\s]{name}=", self.header)
        return balanced(self.header, found.end()) if found else ""

    def source_of(self, instruction: Instruction) -> tuple[str, int]:
        """Return the source file and line of an instruction; ``("", 0)`` when unknown."""
        return instruction.source if instruction.source[0] else self.tables.locate(instruction.frame)

"""The largest arrays that a program makes, where no buffer assignment says which buffers live at the peak."""

from collections.abc import Iterator

from tpuguru.artifacts.hlo.loops import Executions
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import Array, arrays_of
from tpuguru.artifacts.memory_model import Buffer

_MOST = 20
# They hand on arrays that others made.
_PASSING = frozenset(("while", "call", "conditional", "copy-start", "async-start", "call-start"))
_INSIDE = frozenset(("fusion", "all-reduce", "reduce", "scatter", "sort", "map", "custom-call"))


def largest_made(module: Module, executions: Executions) -> tuple[Buffer, ...]:
    """Return the largest arrays in HBM that instructions of the program make, each shape and origin once.

    Bytes include the padding of the layout's first tile. Arrays that one after the other use the same memory
    are all listed, since only a buffer assignment tells; inputs are not.
    """
    found: dict[tuple[str, str], Buffer] = {}
    for instruction in _makers(module, executions):
        for array in arrays_of(instruction.shape):
            if array.space == 0 and array.dimensions:
                found.setdefault((array.text, instruction.op_name), _buffer(module, instruction, array))
    return tuple(sorted(found.values(), key=lambda buffer: -buffer.bytes)[:_MOST])


def _makers(module: Module, executions: Executions) -> Iterator[Instruction]:
    """Yield the instructions whose results are arrays in memory: not those inside a fusion or a reduction."""
    for computation in module.computations.values():
        callers = executions.callers.get(computation.name, [])
        if any(caller.opcode.removesuffix("-start") in _INSIDE for caller in callers):
            continue
        if computation.name != module.entry and not callers:
            continue
        yield from (each for each in computation.instructions if each.opcode not in _PASSING)


def _buffer(module: Module, instruction: Instruction, array: Array) -> Buffer:
    file, line = module.source_of(instruction)
    padded = array.padded_bytes
    return Buffer(
        name=instruction.name,
        kind="output" if instruction.root and instruction.computation == module.entry else "temporary",
        bytes=padded,
        shape=array.text,
        dtype=array.dtype,
        dimensions=array.dimensions,
        layout=array.layout,
        logical_bytes=array.bytes,
        padding_bytes=max(0, padded - array.bytes),
        op_name=instruction.op_name,
        source_file=file,
        source_line=line,
        instruction=instruction.name,
    )

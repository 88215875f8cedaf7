"""Memory of a compiled program: figures, the buffers at the peak, inputs and donation."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tpuguru.artifacts.buffers import Allocation, AssignedValue, Assignment
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import Array, arrays_of, elements_of
from tpuguru.artifacts.liveness import LiveRanges, live_slots
from tpuguru.artifacts.memory_model import Buffer, Donation, Memory, MemorySpace, ParameterBuffer, Parameters
from tpuguru.artifacts.stablehlo import StableHlo

SPACE_NAMES = {0: "hbm", 1: "vmem", 2: "smem", 4: "host", 5: "host-offload"}
HOST_COLOUR = 5
_MOST_BUFFERS = 40
_MOST_NAMES = 8  # instructions whose metadata is asked for, a buffer
_MOST_REPLICATED = 40
_ALIAS = re.compile(r"\((\d+), \{[^}]*\}")
# Instructions that only pass a buffer on: the one that filled it says more.
_PASSING = frozenset(
    ("while", "tuple", "parameter", "bitcast", "get-tuple-element", "copy-done", "async-done")
)


def figures(stats: Mapping[str, int] | None, assignment: Assignment | None) -> Memory:
    """Return the totals: the compiler's own statistics when given, else from the buffer assignment.

    The assignment gives argument, output and alias exactly; its temporaries can be some KiB below the
    compiler's own figure (stack of late passes), and it knows nothing of generated code.
    """
    if stats:
        return _with_fit(_from_stats(stats))
    if assignment and assignment.allocations:
        return _with_fit(_from_assignment(assignment))
    return Memory()


def _from_stats(stats: Mapping[str, int]) -> Memory:
    def figure(name: str) -> int | None:
        value = stats.get(f"{name}_size_in_bytes")
        return int(value) if value is not None else None

    return Memory(
        argument_bytes=figure("argument"),
        temporary_bytes=figure("temp"),
        output_bytes=figure("output"),
        alias_bytes=figure("alias"),
        generated_code_bytes=figure("generated_code"),
        host_temporary_bytes=figure("host_temp"),
        host_argument_bytes=figure("host_argument"),
        host_output_bytes=figure("host_output"),
        figures_from="compiled memory stats",
    )


def _from_assignment(assignment: Assignment) -> Memory:
    allocations = [a for a in assignment.allocations.values() if a.colour == 0 and not a.thread_local]
    alias = sum(a.bytes for a in allocations if a.parameter is not None and a.live_out)
    return Memory(
        argument_bytes=assignment.total(["parameter"]),
        temporary_bytes=assignment.total(["temporary"]),
        output_bytes=alias + assignment.total(["output"]),
        alias_bytes=alias,
        host_temporary_bytes=assignment.total(["temporary"], colour=HOST_COLOUR),
        host_argument_bytes=assignment.total(["parameter"], colour=HOST_COLOUR),
        host_output_bytes=assignment.total(["output"], colour=HOST_COLOUR),
        figures_from="buffer assignment",
    )


def _with_fit(memory: Memory) -> Memory:
    parts = (memory.argument_bytes, memory.temporary_bytes, memory.output_bytes, memory.alias_bytes)
    if any(part is None for part in parts):
        return memory
    argument, temporary, output, alias = (part or 0 for part in parts)
    return replace(memory, fit_bytes=argument + temporary + output - alias)


def spaces(assignment: Assignment, reported: Iterable[tuple[str, int, int]] = ()) -> tuple[MemorySpace, ...]:
    """Return the bytes allocated in each memory space; names come from the memory report where it has one."""
    names = {colour: name for name, colour, _ in reported}
    totals: Counter[int] = Counter()
    for allocation in assignment.allocations.values():
        if not allocation.thread_local:
            totals[allocation.colour] += allocation.bytes
    return tuple(
        MemorySpace(SPACE_NAMES.get(colour) or names.get(colour, f"space-{colour}"), colour, size)
        for colour, size in sorted(totals.items())
    )


def candidates(assignment: Assignment, live: LiveRanges | None, at: int | None) -> list[list[AssignedValue]]:
    """Return the buffers in HBM at a schedule position, biggest first: each as the values that share it.

    Without live ranges every HBM allocation's values are candidates, since nothing tells which live together.
    """
    found = [*_whole_allocations(assignment), *_temporaries(assignment, live, at)]
    return sorted(found, key=lambda values: -max(value.bytes for value in values))[:_MOST_BUFFERS]


def _whole_allocations(assignment: Assignment) -> list[list[AssignedValue]]:
    by_allocation: dict[int, list[AssignedValue]] = {}
    for value in assignment.values.values():
        allocation = assignment.allocations[value.allocation]
        if allocation.colour == 0 and allocation.kind != "temporary" and not allocation.thread_local:
            by_allocation.setdefault(value.allocation, []).append(value)
    return list(by_allocation.values())


def _temporaries(
    assignment: Assignment, live: LiveRanges | None, at: int | None
) -> list[list[AssignedValue]]:
    if live is None or at is None:
        return [
            [value]
            for value in assignment.values.values()
            if value.colour == 0
            and assignment.allocations[value.allocation].kind == "temporary"
            and not assignment.allocations[value.allocation].thread_local
        ]
    found = []
    for (allocation, _), names in live_slots(assignment, live).items():
        alive = [assignment.values[n] for n in names if live.ranges[n][0] <= at <= live.ranges[n][1]]
        if alive and assignment.allocations[allocation].kind == "temporary":
            found.append(alive)
    return found


def names_wanted(buffers: list[list[AssignedValue]]) -> set[str]:
    """Return the instruction names whose metadata explains the buffers."""
    return {_instruction(value.name) for values in buffers for value in values[:_MOST_NAMES]}


def _instruction(value_name: str) -> str:
    return value_name.partition("{")[0]


def largest(
    buffers: list[list[AssignedValue]],
    assignment: Assignment,
    live: LiveRanges | None,
    module: Module | None,
) -> tuple[Buffer, ...]:
    """Describe the buffers: shape, padding, what fills them, where in the source."""
    return tuple(_buffer(values, assignment, live, module) for values in buffers)


def _buffer(
    values: list[AssignedValue], assignment: Assignment, live: LiveRanges | None, module: Module | None
) -> Buffer:
    biggest = max(values, key=lambda value: value.bytes)
    allocation = assignment.allocations[biggest.allocation]
    named, instruction = _origin(values, module)
    if module and allocation.parameter in module.parameters:
        instruction = module.parameters[allocation.parameter]
        named = next((value for value in values if _instruction(value.name) == instruction.name), named)
    described = named if named.bytes == biggest.bytes else biggest
    array = next(iter(arrays_of(described.shape)), Array("opaque", ()))
    file, line = module.source_of(instruction) if module and instruction else ("", 0)
    first, last = (live.ranges.get(described.name) if live else None) or (None, None)
    return Buffer(
        name=described.name,
        kind=allocation.kind,
        bytes=biggest.bytes,
        shape=array.text,
        dtype=array.dtype,
        dimensions=array.dimensions,
        layout=array.layout,
        logical_bytes=array.bytes,
        padding_bytes=max(0, biggest.bytes - array.bytes),
        op_name=instruction.op_name if instruction else "",
        source_file=file,
        source_line=line,
        parameter_number=allocation.parameter,
        instruction=_instruction(named.name),
        live_from=first,
        live_to=last,
    )


def _origin(values: list[AssignedValue], module: Module | None) -> tuple[AssignedValue, Instruction | None]:
    """Return the value that fills the buffer, with its instruction; one that computes comes first."""
    known = [
        (value, module.wanted[_instruction(value.name)])
        for value in values
        if module and _instruction(value.name) in module.wanted
    ]
    computing = [pair for pair in known if pair[1].opcode not in _PASSING and pair[1].op_name]
    named = computing or [pair for pair in known if pair[1].op_name] or known
    return named[0] if named else (values[0], None)


def parameters(
    module: Module, stablehlo: StableHlo | None, assignment: Assignment | None, partitions: int
) -> Parameters:
    """Describe the program's inputs; replication shows where StableHLO gives global shapes or shardings."""
    buffers = _parameter_buffers(module, assignment)
    dtypes: Counter[str] = Counter()
    for buffer in buffers.values():
        dtypes[buffer.shape.partition("[")[0]] += buffer.bytes
    replicated = _replicated(buffers, stablehlo, partitions)
    return Parameters(
        count=len(buffers),
        bytes=sum(buffer.bytes for buffer in buffers.values()),
        dtype_bytes=dict(dtypes.most_common()),
        replicated=() if replicated is None else tuple(replicated[:_MOST_REPLICATED]),
        replicated_bytes=None if replicated is None else sum(buffer.bytes for buffer in replicated),
    )


def _parameter_buffers(module: Module, assignment: Assignment | None) -> dict[int, ParameterBuffer]:
    allocated: dict[int, Allocation] = {}
    for allocation in assignment.allocations.values() if assignment else ():
        if allocation.parameter is not None and not allocation.thread_local:
            allocated[allocation.parameter] = allocation
    found: dict[int, ParameterBuffer] = {}
    for number, instruction in sorted(module.parameters.items()):
        array = next(iter(arrays_of(elements_of(instruction.shape)[0])), None)
        if array:
            size = allocated[number].bytes if number in allocated else array.bytes
            found[number] = ParameterBuffer(instruction.op_name or instruction.name, array.text, size, number)
    return found


def _replicated(
    buffers: dict[int, ParameterBuffer], stablehlo: StableHlo | None, partitions: int
) -> list[ParameterBuffer] | None:
    """Return inputs whose local shape is the global one; None without StableHLO arguments to compare.

    Where nothing names a mesh or a sharding, shapes are local ones (TorchTPU's programs) and say nothing.
    """
    if partitions <= 1:
        return []
    if stablehlo is None or len(stablehlo.arguments) != len(buffers):
        return None
    if not stablehlo.mesh and all(argument.sharded is None for argument in stablehlo.arguments):
        return None
    whole = []
    for argument in stablehlo.arguments:
        buffer = buffers.get(argument.number)
        array = next(iter(arrays_of(buffer.shape)), None) if buffer else None
        if buffer and array and array.dimensions == argument.dimensions:
            whole.append(buffer)
    return sorted(whole, key=lambda buffer: -buffer.bytes)


def donation(module: Module, stablehlo: StableHlo | None, assignment: Assignment | None) -> Donation:
    """Compare the inputs the caller gave up with those an output really took over."""
    aliased = {int(number) for number in _ALIAS.findall(module.header_value("input_output_alias"))}
    buffers = _parameter_buffers(module, assignment)
    donors = {int(number) for number in re.findall(r"\((\d+), \{", module.header_value("buffer_donor"))}
    if stablehlo and stablehlo.arguments:
        donors |= {argument.number for argument in stablehlo.arguments if argument.donated}
    elif not donors and not aliased:
        return Donation(aliased_parameters=0)
    left = [buffers[number] for number in sorted(donors - aliased) if number in buffers]
    given = sum(buffers[number].bytes for number in donors | aliased if number in buffers)
    return Donation(
        donated_bytes=given,
        aliased_parameters=len(aliased),
        not_aliased=tuple(left[:_MOST_REPLICATED]),
        not_aliased_bytes=sum(buffer.bytes for buffer in left),
    )

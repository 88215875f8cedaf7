"""Host offload and SparseCore work: asked for, kept, undone."""

from collections import Counter

from tpuguru.artifacts.buffers import Assignment
from tpuguru.artifacts.code_model import Collectives, CopiedBack, HostOffload, SparseCoreWork
from tpuguru.artifacts.hlo.computation import COLLECTIVES
from tpuguru.artifacts.hlo.loops import Executions
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import HOST_SPACES, Array, arrays_of, elements_of
from tpuguru.artifacts.memory import HOST_COLOUR
from tpuguru.artifacts.stablehlo import StableHlo

_MOVES = ("copy-start", "copy", "async-start", "dynamic-update-slice-start", "dynamic-slice-start")
_MOST_WRAPPERS = 32
_SPARSECORE = 'async_execution_thread="sparsecore"'


def read_offload(
    module: Module, executions: Executions, assignment: Assignment | None, stablehlo: StableHlo | None
) -> HostOffload:
    """Say what was annotated for host memory, what is kept there, and what is copied back whole."""
    stacks = _written_stacks(module)
    back = [copy for copy in module.instructions("copy-start", "copy") if _undoes(copy, stacks)]
    kept = _kept(module, assignment)
    outward, inward = _traffic(module, executions)
    return HostOffload(
        annotated=stablehlo.host_annotations if stablehlo else None,
        kept_buffers=len(kept),
        kept_bytes=sum(kept),
        copied_back=tuple(CopiedBack(*_described(copy)) for copy in back),
        copied_back_bytes=sum(_described(copy)[1] * max(1, executions.of(copy)) for copy in back),
        device_to_host_bytes_per_step=outward,
        host_to_device_bytes_per_step=inward,
    )


def _host(text: str) -> Array | None:
    return next((array for array in arrays_of(text) if array.space in HOST_SPACES), None)


def _written_stacks(module: Module) -> set[tuple[int, ...]]:
    """Shapes of host buffers that the program fills slice by slice: the stacks of offloaded activations."""
    found: set[tuple[int, ...]] = set()
    for instruction in module.instructions("async-start", "dynamic-update-slice-start", "fusion"):
        if "dynamic-update-slice" in instruction.name or instruction.opcode.startswith("dynamic-update"):
            stack = _host(instruction.shape)
            if stack:
                found.add(stack.dimensions)
    return found


def _undoes(copy: Instruction, stacks: set[tuple[int, ...]]) -> bool:
    """Whether a copy brings one of the stacks back to the device whole."""
    source = _host(copy.operand_shapes[0]) if copy.operand_shapes else None
    if source is None or source.dimensions not in stacks:
        return False
    destination = next(iter(arrays_of(elements_of(copy.shape)[0])), None)
    return destination is not None and destination.space not in HOST_SPACES


def _described(copy: Instruction) -> tuple[str, int, str]:
    array = arrays_of(copy.operand_shapes[0])[0]
    return array.text, array.bytes, copy.op_name


def _kept(module: Module, assignment: Assignment | None) -> list[int]:
    """Bytes of the distinct buffers in host memory; from the HLO's own shapes when there is no assignment."""
    if assignment and assignment.allocations:
        places: dict[tuple[int, int], int] = {}
        for value in assignment.values.values():
            if value.colour == HOST_COLOUR and not assignment.allocations[value.allocation].thread_local:
                key = value.allocation, value.offset
                places[key] = max(places.get(key, 0), value.bytes)
        return list(places.values())
    shapes = {
        (array.dtype, array.dimensions): array.bytes
        for instruction in module.instructions(*_MOVES, "while")
        for array in arrays_of(instruction.shape)
        if array.space in HOST_SPACES
    }
    return list(shapes.values())


def _traffic(module: Module, executions: Executions) -> tuple[int, int]:
    """Bytes to the host and back in one step, by the asynchronous moves between the two memories."""
    outward = inward = 0
    for instruction in module.instructions(*_MOVES):
        parts = elements_of(instruction.shape)
        started = instruction.opcode.endswith("-start")
        result = parts[1] if instruction.opcode == "async-start" and len(parts) > 1 else parts[0]
        given = instruction.operand_shapes[:1]
        if not given:
            continue
        times = executions.of(instruction)
        from_host, to_host = _host(given[0]), _host(result)
        if to_host and (from_host is None or "update-slice" in instruction.name):
            update = (
                instruction.operand_shapes[1]
                if from_host and len(instruction.operand_shapes) > 1
                else given[0]
            )
            outward += times * sum(array.bytes for array in arrays_of(update)[:1])
        elif from_host and not to_host and (started or instruction.opcode == "copy"):
            inward += times * sum(array.bytes for array in arrays_of(result)[:1])
    return outward, inward


def read_sparsecore(module: Module, collectives: Collectives) -> tuple[SparseCoreWork, ...]:
    """Count the work that SparseCores run, by kind."""
    counts: Counter[str] = Counter()
    for instruction in module.instructions("async-start", "call-start", "custom-call-start"):
        if _SPARSECORE in instruction.attributes and not _runs_collective(module, instruction):
            counts[_kind(instruction)] += 1
    counts["collective"] = sum(item.call_sites for item in collectives.run if item.on_sparsecore)
    return tuple(SparseCoreWork(kind, count) for kind, count in sorted(counts.items()) if count)


def _runs_collective(module: Module, instruction: Instruction) -> bool:
    """Whether a collective lies in what the instruction starts, through the calls that wrap it."""
    names, seen = list(instruction.callees()), set[str]()
    while names and len(seen) < _MOST_WRAPPERS:
        name = names.pop()
        computation = module.computations.get(name)
        if computation is None or name in seen:
            continue
        seen.add(name)
        if any(inner.opcode.removesuffix("-start") in COLLECTIVES for inner in computation.instructions):
            return True
        names += [callee for inner in computation.instructions for callee in inner.callees()]
    return False


def _kind(instruction: Instruction) -> str:
    for word in ("gather_offload", "scatter_offload", "data-format", "data_format", "sort"):
        if word in instruction.name or word in instruction.op_name:
            return word.replace("_", "-")
    return "other"

"""Collectives: what runs, over which axes and network, how often, how many bytes."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tpuguru.artifacts.code_model import Asked, AxisTraffic, Collective, Collectives
from tpuguru.artifacts.hlo.computation import COLLECTIVES
from tpuguru.artifacts.hlo.groups import DeviceGroups, axes_of, device_groups, network_of
from tpuguru.artifacts.hlo.loops import Executions
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import Array, arrays_of
from tpuguru.artifacts.request import MeshAxis
from tpuguru.artifacts.stablehlo import StableHlo

_MEGASCALE = re.compile(r'_xla_megascale_transfer_type="(\w+)"')
_SPARSECORE = (
    '"DEVICE_TYPE_SPARSECORE"',
    'async_execution_thread="sparsecore"',
    '"collective_offload_config"',
)
_CONTEXT = frozenset(
    ("u32", "s32")
)  # scalars of these types in a -start's tuple are synchronisation, not data
_MOST_LEVELS = 64


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the partitions are: the mesh (major axis first), how many, and the slice of each."""

    mesh: tuple[MeshAxis, ...]
    partitions: int
    slice_of: Sequence[int]


def read_collectives(
    module: Module, executions: Executions, cluster: Cluster, stablehlo: StableHlo | None
) -> Collectives:
    """Collect the collectives of the final HLO, and the count of those that StableHLO asked for."""
    sites: dict[Collective, int] = defaultdict(int)
    for instruction in module.instructions():
        kind = instruction.opcode.removesuffix("-start")
        if kind in COLLECTIVES and (site := _site(module, instruction, kind, executions, cluster)):
            sites[site] += 1
    run = tuple(sorted((_times(site, count) for site, count in sites.items()), key=_order))
    return Collectives(
        asked=asked_for(stablehlo),
        run=run,
        by_axis=_by_axis(run),
        bytes_per_step=sum(collective.bytes_per_step for collective in run),
    )


def asked_for(stablehlo: StableHlo | None) -> tuple[Asked, ...] | None:
    """Return what the StableHLO asks for; None when there is none."""
    if stablehlo is None:
        return None
    return tuple(Asked(kind, count) for kind, count in sorted(stablehlo.collectives.items()))


def _site(
    module: Module, instruction: Instruction, kind: str, executions: Executions, cluster: Cluster
) -> Collective | None:
    megascale = _MEGASCALE.search(instruction.attributes)
    # A transfer has two ends; the sending one is counted. Other host transfers are callbacks.
    callback = not megascale and "is_host_transfer=true" in instruction.attributes
    if kind == "recv" or (kind == "send" and callback):
        return None
    chain = _chain(module, instruction, executions)
    groups = _between_slices(cluster) if megascale else device_groups(instruction, cluster.partitions)
    axes = axes_of(groups, cluster.mesh)
    size = payload(instruction)
    times = executions.of(instruction)
    return Collective(
        kind=megascale[1].lower().replace("_", "-") if megascale else _real_kind(kind, chain),
        asynchronous=megascale is not None or instruction.opcode.endswith("-start") or _started(chain),
        mechanism="megascale" if megascale else _mechanism(instruction, chain),
        call_sites=1,
        executions_per_step=times,
        bytes=size,
        bytes_per_step=size * times,
        dtype=_dtype(instruction),
        axes=axes,
        axes_text=" × ".join(axes) if axes else _describe(groups),
        group_size=groups.size,
        groups=len(groups.groups),
        groups_spelling="megascale" if megascale else groups.spelling,
        network="dcn" if megascale else network_of(groups, cluster.slice_of),
        from_partitioner='is_spmd_generated="true"' in instruction.attributes,
        on_sparsecore=_on_sparsecore(instruction, chain),
        op_name=instruction.op_name,
    )


def _real_kind(kind: str, chain: list[Instruction]) -> str:
    """TPU writes a reduce-scatter as a fusion of an all-reduce and the slice each device keeps."""
    scattered = any("all-reduce-scatter" in callee for caller in chain for callee in caller.callees())
    return "reduce-scatter" if kind == "all-reduce" and scattered else kind


def _times(site: Collective, count: int) -> Collective:
    return replace(
        site,
        call_sites=count,
        executions_per_step=site.executions_per_step * count,
        bytes_per_step=site.bytes_per_step * count,
    )


def _order(collective: Collective) -> tuple[int, str, str]:
    return -collective.bytes_per_step, collective.kind, collective.op_name


def payload(instruction: Instruction) -> int:
    """Return one execution's bytes on one device: the larger of input and output, without padding."""
    given = sum(array.bytes for text in instruction.operand_shapes for array in _data(text))
    if instruction.opcode.endswith("-start") or instruction.opcode in ("send", "recv"):
        # The tuple holds the operands again, then the results, then synchronisation words.
        arrays = _data(instruction.shape)
        taken = sum(array.bytes for array in arrays) - given if len(arrays) > 1 else 0
    elif instruction.opcode == "ragged-all-to-all":
        return max(
            (array.bytes for text in instruction.operand_shapes[:2] for array in arrays_of(text)), default=0
        )
    else:
        taken = sum(array.bytes for array in _data(instruction.shape))
    return max(given, taken)


def _data(text: str) -> list[Array]:
    return [array for array in arrays_of(text) if array.dimensions or array.dtype not in _CONTEXT]


def _dtype(instruction: Instruction) -> str:
    arrays = [array for text in (*instruction.operand_shapes, instruction.shape) for array in _data(text)]
    return max(arrays, key=lambda array: array.bytes).dtype if arrays else ""


def _chain(module: Module, instruction: Instruction, executions: Executions) -> list[Instruction]:
    """Return the calls that lead from the loop body or entry down to the instruction, innermost first."""
    chain: list[Instruction] = []
    name = instruction.computation
    while len(chain) < _MOST_LEVELS and name != module.entry:
        callers = executions.callers.get(name)
        if not callers or callers[0].opcode in ("while", "conditional"):
            break
        chain.append(callers[0])
        name = callers[0].computation
    return chain


def _started(chain: list[Instruction]) -> bool:
    return any(caller.opcode.endswith("-start") for caller in chain)


def _mechanism(instruction: Instruction, chain: list[Instruction]) -> str:
    starts = [caller for caller in chain if caller.opcode.endswith("-start")]
    for spelling in ("custom-call-start", "call-start"):
        if any(spelling in caller.opcode or spelling in caller.name for caller in starts):
            return spelling
    if starts or instruction.opcode.endswith("-start"):
        return "start-done"
    return "fusion" if any(caller.opcode == "fusion" for caller in chain) else "plain"


def _on_sparsecore(instruction: Instruction, chain: list[Instruction]) -> bool:
    return any(mark in item.attributes for item in (instruction, *chain) for mark in _SPARSECORE[:2]) or (
        _SPARSECORE[2] in instruction.attributes
    )


def _between_slices(cluster: Cluster) -> DeviceGroups:
    """Return groups of the partitions that hold the same place on each slice."""
    count = len(set(cluster.slice_of))
    if count < 2 or len(cluster.slice_of) % count:
        return DeviceGroups("megascale", ())
    by_slice: dict[int, list[int]] = defaultdict(list)
    for partition, slice_number in enumerate(cluster.slice_of):
        by_slice[slice_number].append(partition)
    return DeviceGroups("megascale", tuple(zip(*by_slice.values(), strict=True)))


def _describe(groups: DeviceGroups) -> str:
    if not groups.groups:
        return groups.text[:120]
    first = groups.groups[0]
    stride = first[1] - first[0] if len(first) > 1 else 0
    count = len(groups.groups)
    return f"{count} group{'s' if count > 1 else ''} of {groups.size}, stride {stride}"


def _by_axis(run: Sequence[Collective]) -> tuple[AxisTraffic, ...]:
    together: dict[tuple[tuple[str, ...], str, str], list[Collective]] = defaultdict(list)
    for collective in run:
        together[(collective.axes or (collective.axes_text,), collective.kind, collective.network)].append(
            collective
        )
    rows = [
        AxisTraffic(
            axes=axes,
            kind=kind,
            network=network,
            call_sites=sum(item.call_sites for item in items),
            executions_per_step=sum(item.executions_per_step for item in items),
            bytes_per_step=sum(item.bytes_per_step for item in items),
            asynchronous_bytes_per_step=sum(item.bytes_per_step for item in items if item.asynchronous),
        )
        for (axes, kind, network), items in together.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.bytes_per_step))

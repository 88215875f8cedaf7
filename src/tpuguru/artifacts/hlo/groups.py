"""Which devices a collective runs over: five spellings, one meaning, mapped to mesh axes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Literal

from tpuguru.artifacts.hlo.module import Instruction
from tpuguru.artifacts.request import MeshAxis

type Spelling = Literal["mesh", "iota", "list", "pairs", "all", "megascale"]

_WRITTEN = re.compile(
    r"\breplica_groups=(mesh\[[^\]]*\][^{]*\{[^}]*\}|\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?|\{\{.*?\}\}|\{[^}]*\})"
)
_MESH = re.compile(
    r"^mesh\[(?P<axes>[^\]]*)\](?:,?\s*device_ids=\(?(?P<ids>[^{]*?)\)?)?\s*\{(?P<over>[^}]*)\}"
)
_MESH_AXIS = re.compile(r"'([^']+)'\s*=\s*(\d+)")
_OVER = re.compile(r"'([^']+)'(?:\s*:\s*\((\d+)\)(\d+))?")
_IOTA = re.compile(r"^\[(?P<dims>[\d,]+)\]<=\[(?P<reshape>[\d,]+)\](?:T\((?P<permutation>[\d,]+)\))?")
_LARGEST = 1 << 20  # device ids expanded at most; beyond that the text is kept and axes stay unknown


@dataclass(frozen=True, slots=True)
class DeviceGroups:
    """Groups of partition ids that exchange data; ``named`` holds axis names that the text gave in clear."""

    spelling: Spelling
    groups: tuple[tuple[int, ...], ...]
    named: tuple[str, ...] = ()
    text: str = ""

    @property
    def size(self) -> int:
        """Devices in a group (the largest, if they differ); 0 when unknown."""
        return max(map(len, self.groups), default=0)


def device_groups(instruction: Instruction, partitions: int) -> DeviceGroups:
    """Return the groups of a collective; an empty or absent list means all partitions together."""
    if instruction.opcode.startswith("collective-permute"):
        text = instruction.attribute("source_target_pairs")
        return DeviceGroups("pairs", _lists(text), text=text)
    found = _WRITTEN.search(instruction.attributes)
    return parse_groups(found[1] if found else "", partitions)


@lru_cache(maxsize=1024)  # a program repeats few spellings many times, each over thousands of devices
def parse_groups(text: str, partitions: int) -> DeviceGroups:
    """Parse the text after ``replica_groups=`` in any of its spellings."""
    if mesh := _MESH.match(text):
        return _from_mesh(mesh)
    if iota := _IOTA.match(text):
        return _from_iota(iota)
    if text.startswith("{"):
        end = text.find("}}")
        lists = _lists(text[: end + 2] if end >= 0 else "")
        if lists:
            return DeviceGroups("list", lists, text=text[: end + 2])
    return DeviceGroups("all", (tuple(range(min(partitions, _LARGEST))),) if partitions > 0 else ())


def _lists(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(map(int, re.findall(r"\d+", group))) for group in re.findall(r"\{([\d,\s]+)\}", text[: 1 << 24])
    )


def _from_iota(found: re.Match[str]) -> DeviceGroups:
    dimensions, reshape = _ints(found["dims"]), _ints(found["reshape"])
    permutation = _ints(found["permutation"]) if found["permutation"] else tuple(range(len(reshape)))
    total = prod(reshape)
    if total != prod(dimensions) or total > _LARGEST or sorted(permutation) != list(range(len(reshape))):
        return DeviceGroups("iota", (), text=found[0])
    ids = _permuted(reshape, permutation)
    size = dimensions[-1]
    groups = tuple(tuple(ids[start : start + size]) for start in range(0, total, size))
    return DeviceGroups("iota", groups, text=found[0])


def _permuted(shape: Sequence[int], permutation: Sequence[int]) -> list[int]:
    """Ids 0…n−1 laid out in ``shape``, axes permuted, read in row-major order."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    ids = [0]
    for axis in permutation:
        ids = [base + index * strides[axis] for base in ids for index in range(shape[axis])]
    return ids


def _from_mesh(found: re.Match[str]) -> DeviceGroups:
    """Spellings 1 and 2: a mesh written out, and the axes of it that a group spans, in the order given."""
    axes = [(name, int(size)) for name, size in _MESH_AXIS.findall(found["axes"])]
    sizes = dict(axes)
    over = [(name, before, size) for name, before, size in _OVER.findall(found["over"]) if name in sizes]
    named = tuple(name for name, _, _ in over if not name.startswith("axis_"))
    total = prod(size for _, size in axes)
    if not over or total > _LARGEST or any(before for _, before, _ in over):
        return DeviceGroups("mesh", (), named, found[0])
    order = _mesh_order(found["ids"] or "", total)
    names = [name for name, _ in axes]
    inner = [names.index(name) for name, _, _ in over]
    outer = [axis for axis in range(len(axes)) if axis not in inner]
    ids = _permuted([size for _, size in axes], [*outer, *inner])
    size = prod(sizes[name] for name, _, _ in over)
    groups = tuple(tuple(order[i] for i in ids[start : start + size]) for start in range(0, total, size))
    return DeviceGroups("mesh", groups, named if len(named) == len(over) else (), found[0])


def _mesh_order(text: str, total: int) -> list[int]:
    """Device ids of the mesh positions: identity, an iota with a transpose, or a written list."""
    if iota := _IOTA.match(text.strip()):
        flat = [member for group in _from_iota(iota).groups for member in group]
        return flat if len(flat) == total else list(range(total))
    numbers = _ints(text)
    return list(numbers) if len(numbers) == total else list(range(total))


def _ints(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text or "")))


@lru_cache(maxsize=1024)
def axes_of(groups: DeviceGroups, mesh: tuple[MeshAxis, ...]) -> tuple[str, ...]:
    """Return the mesh axes that the groups span, major first; ``()`` when the mesh does not explain them.

    Ids are partition numbers in logical mesh order, so a member's coordinate on an axis is
    (id // stride) mod size. An axis counts when members of one group differ on it; a group must hold every
    combination of the axes it spans, except for collective-permute pairs. Axes named in clear are returned as
    they are, whether or not a mesh is known.
    """
    if groups.named:
        return tuple(name for name in groups.named if _size_of(name, mesh) != 1) or groups.named
    members = groups.groups
    if not mesh or not members or max(map(max, members), default=0) >= prod(axis.size for axis in mesh):
        return ()
    strides = [prod(axis.size for axis in mesh[position + 1 :]) for position in range(len(mesh))]
    varying: list[str] = []
    span = 1
    for axis, stride in zip(mesh, strides, strict=True):
        if axis.size > 1 and any(
            len({(member // stride) % axis.size for member in group}) > 1 for group in members
        ):
            varying.append(axis.name)
            span *= axis.size
    whole = groups.spelling == "pairs" or groups.size == span
    return tuple(varying) if whole else tuple(f"{name} (part)" for name in varying)


def _size_of(name: str, mesh: Sequence[MeshAxis]) -> int:
    return next((axis.size for axis in mesh if axis.name == name), 0)


def mesh_written_in(texts: Sequence[str]) -> tuple[MeshAxis, ...]:
    """Return the first mesh with real axis names that a collective of the module spells out, or ``()``."""
    for text in texts:
        found = re.search(r"mesh\[([^\]]*)\]", text)
        axes = _MESH_AXIS.findall(found[1]) if found else []
        if axes and not any(name.startswith("axis_") for name, _ in axes):
            return tuple(MeshAxis(name, int(size)) for name, size in axes)
    return ()


def network_of(groups: DeviceGroups, slice_of: Sequence[int]) -> Literal["ici", "dcn", "mixed", "unknown"]:
    """Say which network the groups use, from the slice of each partition; one slice means ICI only.

    «dcn»: every member of a group is on another slice. «mixed»: some share a slice.
    """
    if not slice_of or len(set(slice_of)) <= 1:
        return "ici" if slice_of else "unknown"
    kinds: set[str] = set()
    for group in groups.groups:
        if any(member >= len(slice_of) for member in group):
            return "unknown"
        slices = [slice_of[member] for member in group]
        distinct = len(set(slices))
        kinds.add("ici" if distinct == 1 else "dcn" if distinct == len(slices) else "mixed")
    if not kinds:
        return "unknown"
    crossing = kinds - {"ici"}
    return "ici" if not crossing else "dcn" if kinds == {"dcn"} else "mixed"

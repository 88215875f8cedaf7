"""Reading StableHLO text: what the program asks for, before the compiler decides."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.artifacts.request import MeshAxis

BYTECODE_MAGIC = b"ML\xefR"

_MESH = re.compile(rb"sdy\.mesh @(\S+) = <\[([^\]]*)\]")
_MESH_AXIS = re.compile(rb'"([^"]+)"=(\d+)')
_OPERATION = re.compile(rb'\b(?:stablehlo|chlo|mhlo)\.([a-z_]+)"?')
_TARGET = re.compile(rb'custom_call @([\w.$-]+)|call_target_name = "([^"]*)"')
_KERNEL = re.compile(rb'kernel_name = "([^"]*)"')
_SIGNATURE = re.compile(rb": \((tensor<[^()]*)\) -> \(?(tensor<[^()>]*>)")
_ELEMENT = re.compile(rb"tensor<(?:[0-9?]+x)*([A-Za-z]\w*)[^<>]*>")
_TENSOR = re.compile(rb"^(\d+): tensor<([^>]*)>")
_HOST = b'_xla_buffer_placement = "pinned_host"'
_COLLECTIVES = {
    b"all_gather": "all-gather",
    b"all_reduce": "all-reduce",
    b"reduce_scatter": "reduce-scatter",
    b"all_to_all": "all-to-all",
    b"collective_permute": "collective-permute",
    b"collective_broadcast": "collective-broadcast",
    b"ragged_all_to_all": "ragged-all-to-all",
}
_DOTS = frozenset((b"dot_general", b"dot", b"convolution", b"ragged_dot", b"ragged_dot_general"))
_TYPES = {"i1": "pred", "i8": "s8", "i4": "s4", "i16": "s16", "i32": "s32", "i64": "s64"}
_LONGEST_LINE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of ``main`` with its global shape. ``sharded`` is None when the text does not say."""

    number: int
    dtype: str
    dimensions: tuple[int, ...]
    donated: bool
    sharded: bool | None


@dataclass(slots=True)
class StableHlo:
    """What a StableHLO module asks for; counts are of occurrences in the text."""

    sha256: str | None = None  # of text without locations; None when the text has locations
    mesh: tuple[MeshAxis, ...] = ()
    arguments: tuple[Argument, ...] = ()
    collectives: Counter[str] = field(default_factory=Counter)
    dots: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    kernels: Counter[str] = field(default_factory=Counter)
    custom_calls: Counter[str] = field(default_factory=Counter)
    host_annotations: int = 0
    ragged_dots: int = 0
    operations: int = 0


def read_stablehlo(path: Path) -> StableHlo | None:
    """Read StableHLO text; None when the file is MLIR bytecode or no StableHLO. Raises OSError only."""
    with path.open("rb") as file:
        if file.read(4) == BYTECODE_MAGIC:
            return None
        file.seek(0)
        read = parse_stablehlo(iter(lambda: file.readline(_LONGEST_LINE), b""))
    return read if read.operations else None


def parse_stablehlo(lines: Iterable[bytes]) -> StableHlo:
    """Parse the lines of a StableHLO module."""
    read = StableHlo()
    digest, located = hashlib.sha256(), False
    for line in lines:
        digest.update(line)
        located = located or line.startswith(b"#loc") or b" loc(" in line
        if b"sdy.mesh @" in line:
            _mesh(read, line)
        elif b"func.func" in line and b"@main(" in line:
            read.arguments = _arguments(line)
        elif found := _OPERATION.search(line):
            _operation(read, found[1], line)
    read.sha256 = None if located else digest.hexdigest()
    return read


def _mesh(read: StableHlo, line: bytes) -> None:
    found = _MESH.search(line)
    if found and not read.mesh:
        axes = _MESH_AXIS.findall(found[2])
        read.mesh = tuple(MeshAxis(name.decode("utf-8", "replace"), int(size)) for name, size in axes)


def _operation(read: StableHlo, name: bytes, line: bytes) -> None:
    read.operations += 1
    if name == b"custom_call":
        _custom_call(read, line)
    elif name in _COLLECTIVES:
        read.collectives[_COLLECTIVES[name]] += 1
    elif name in _DOTS:
        read.ragged_dots += name.startswith(b"ragged")
        if signature := _SIGNATURE.search(line):
            operands = _ELEMENT.findall(signature[1])
            result = _ELEMENT.findall(signature[2])
            if len(operands) >= 2 and result:
                read.dots[(_dtype(operands[0]), _dtype(operands[1]), _dtype(result[0]))] += 1


def _custom_call(read: StableHlo, line: bytes) -> None:
    found = _TARGET.search(line)
    target = (found[1] or found[2] or b"") if found else b""
    read.custom_calls[target.decode("utf-8", "replace")] += 1
    if target in _COLLECTIVES:
        read.collectives[_COLLECTIVES[target]] += 1
    elif target == b"annotate_device_placement" and _HOST in line:
        read.host_annotations += 1
    elif kernel := _KERNEL.search(line):
        read.kernels[kernel[1].decode("utf-8", "replace")] += 1


def _dtype(raw: bytes) -> str:
    """MLIR's element type in HLO's spelling: i8 → s8, ui8 → u8, f8E4M3FN → f8e4m3fn."""
    name = raw.decode("ascii", "replace")
    return _TYPES.get(name, name[1:] if name.startswith("ui") else name.lower())


def _arguments(line: bytes) -> tuple[Argument, ...]:
    inputs = line.partition(b"@main(")[2].partition(b") -> ")[0]
    return tuple(argument for part in inputs.split(b"%arg")[1:] if (argument := _argument(part)) is not None)


def _argument(part: bytes) -> Argument | None:
    found = _TENSOR.match(part)
    if found is None:
        return None
    *dimensions, element = found[2].split(b",")[0].split(b"x")
    if not all(dimension.isdigit() for dimension in dimensions):
        return None
    return Argument(
        number=int(found[1]),
        dtype=_dtype(element),
        dimensions=tuple(map(int, dimensions)),
        donated=b"tf.aliasing_output" in part or b"jax.buffer_donor" in part,
        sharded=_sharded(part),
    )


def _sharded(part: bytes) -> bool | None:
    if found := re.search(rb"sdy\.sharding<@\S+, \[(.*?)\]", part):
        return b'"' in found[1]
    if found := re.search(rb'mhlo\.sharding = "\{([^"]*)\}"', part):
        return found[1] not in (b"replicated", b"maximal")
    return None

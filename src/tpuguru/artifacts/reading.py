"""The files of one program, each read on its own: what cannot be read is named and costs one part only."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from tpuguru.artifacts.buffers import Assignment, read_assignment
from tpuguru.artifacts.collectives import Cluster
from tpuguru.artifacts.files import Artifacts
from tpuguru.artifacts.hlo.groups import mesh_written_in
from tpuguru.artifacts.hlo.module import Module
from tpuguru.artifacts.hlo.reader import read_module
from tpuguru.artifacts.liveness import LiveRanges, read_live_ranges
from tpuguru.artifacts.model import Missing
from tpuguru.artifacts.request import ExtractRequest, MeshAxis
from tpuguru.artifacts.stablehlo import StableHlo, read_stablehlo
from tpuguru.artifacts.target import Execution, slices_of

_MOST_PARTITIONS = 2**20  # beyond any machine; a file that says more is damaged

type Progress = Callable[[str], None]


@dataclass(slots=True)
class Reading:
    """What has been read so far, and what could not be."""

    artifacts: Artifacts
    request: ExtractRequest
    progress: Progress
    missing: list[Missing] = field(default_factory=list)

    def attempt[T](self, what: str, default: T, read: Callable[[], T]) -> T:
        """Return what ``read`` returns; when the file defeats it, note that and go on with ``default``."""
        self.progress(what)
        try:
            return read()
        except Exception as error:  # noqa: BLE001 - a malformed dump costs one part of the extract, never all
            self.missing.append(Missing(what, f"{type(error).__name__}: {error}"[:300]))
            return default

    def lacks(self, what: str, because: str) -> None:
        """Note that something cannot be told, and why."""
        self.missing.append(Missing(what, because))


def read_asked(reading: Reading) -> StableHlo | None:
    """Read the StableHLO text; None when there is none, which is noted."""
    path = reading.request.stablehlo
    if path is None:
        bytecode = reading.artifacts.path("program-bytecode")
        because = "it is MLIR bytecode; give --toolchain to read it" if bytecode else "no StableHLO text"
        reading.lacks("what the program asked for (StableHLO)", because)
        return None
    read = reading.attempt("StableHLO", None, lambda: read_stablehlo(path))
    if read is None:
        reading.lacks("what the program asked for (StableHLO)", f"{path.name} is no StableHLO text")
    return read


def read_buffers(reading: Reading) -> tuple[Assignment | None, LiveRanges | None]:
    """Read the buffer assignment and the live ranges, each None when it is not there."""
    path, ranges = (reading.artifacts.path(role) for role in ("buffer-assignment", "live-range"))
    assignment = reading.attempt("buffer assignment", None, lambda: read_assignment(path) if path else None)
    if assignment and assignment.truncated:
        reading.lacks("part of the buffer assignment", f"{path.name if path else ''} is cut off")
    live = reading.attempt("live ranges", None, lambda: read_live_ranges(ranges) if ranges else None)
    return (assignment if assignment and assignment.allocations else None), live


def _read_hlo(reading: Reading, path: Path, wanted: set[str]) -> Module | None:
    return reading.attempt(f"HLO text {path.name}", None, lambda: read_module(path, wanted=wanted))


def read_program(reading: Reading, wanted: set[str]) -> tuple[Module | None, str]:
    """Read the HLO of the latest stage there is; return it with the stage's name.

    The metadata of ``wanted`` instructions is kept. Stages: final, oom-intermediate, none. HLO from before
    the optimisation is no answer: it is neither partitioned nor what will run.
    """
    oom = reading.artifacts.path("oom-intermediate")
    optimised = reading.request.optimised or reading.artifacts.path("optimised")
    for path in filter(None, (optimised, oom)):
        module = _read_hlo(reading, path, wanted)
        if module and module.instruction_count:
            for problem in module.problems:
                reading.lacks("part of the HLO", problem)
            return module, "oom-intermediate" if oom else "final"
        reading.lacks(f"HLO in {path.name}", "no instruction in it")
    if not optimised and not oom:
        reading.lacks("the optimised HLO", _why_no_hlo(reading.artifacts))
    return None, "none"


def _why_no_hlo(artifacts: Artifacts) -> str:
    if artifacts.path("optimised-proto"):
        return "it is there only as a proto; give --toolchain to read it"
    if artifacts.path("before"):
        return "there is only HLO from before the optimisation"
    return "the compile left none"


def find_cluster(
    reading: Reading, module: Module | None, stablehlo: StableHlo | None, execution: Execution
) -> tuple[Cluster, str]:
    """Return the mesh and where its partitions are, and what said so: given, StableHLO, HLO."""
    mesh, origin = _mesh(reading.request.mesh, module, stablehlo)
    partitions = execution.partitions or partitions_in(module) or reading.request.partitions
    if not partitions:
        partitions = prod(axis.size for axis in mesh)
    if partitions > _MOST_PARTITIONS:
        reading.lacks("devices of the program", f"more than {_MOST_PARTITIONS} partitions are stated")
        return Cluster((), 1, ()), ""
    if not mesh and partitions > 1:
        reading.lacks("names of mesh axes", "no mesh given, and neither StableHLO nor HLO spells one out")
    return Cluster(mesh, partitions, slices_of(execution.devices, partitions, reading.request.slices)), origin


def _mesh(
    given: tuple[MeshAxis, ...], module: Module | None, stablehlo: StableHlo | None
) -> tuple[tuple[MeshAxis, ...], str]:
    if given:
        return given, "given"
    if stablehlo and stablehlo.mesh:
        return stablehlo.mesh, "StableHLO"
    written = mesh_written_in([item.attributes for item in module.instructions()]) if module else ()
    return written, "HLO" if written else ""


def partitions_in(module: Module | None) -> int | None:
    """Return the partitions that the HLO's first line states, or None."""
    text = module.header_value("num_partitions") if module else ""
    return int(text) if text.isdigit() else None

"""From a folder of compiler artifacts to an :class:`Extract`: each part on its own, what fails is named."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tpuguru.artifacts import dots, kernels, memory, offload
from tpuguru.artifacts.buffers import Assignment, read_assignment, read_spaces
from tpuguru.artifacts.code_model import CodePath, Collectives, Dots, Fallback, HostOffload, Kernel, Remat
from tpuguru.artifacts.collectives import Cluster, read_collectives
from tpuguru.artifacts.files import Artifacts, find_artifacts
from tpuguru.artifacts.flags import check_flags
from tpuguru.artifacts.hlo.groups import mesh_written_in
from tpuguru.artifacts.hlo.loops import Executions, count_executions
from tpuguru.artifacts.hlo.module import Module
from tpuguru.artifacts.hlo.reader import read_module
from tpuguru.artifacts.liveness import LiveRanges, read_live_ranges, timeline
from tpuguru.artifacts.memory_model import Buffer, Donation, Memory, Parameters
from tpuguru.artifacts.model import (
    Extract,
    Flags,
    Missing,
    Outcome,
    Phase,
    Program,
    Source,
    SourceFile,
    Target,
)
from tpuguru.artifacts.outcome import read_outcome
from tpuguru.artifacts.records import completed
from tpuguru.artifacts.request import ExtractRequest, MeshAxis
from tpuguru.artifacts.stablehlo import StableHlo, read_stablehlo
from tpuguru.artifacts.target import Execution, read_execution, read_target, slices_of
from tpuguru.hardware.chips import find_chip

type Progress = Callable[[str], None]

# What each file tells, for the note when it is not there.
_TELLS = {
    "buffer-assignment": "buffers at the peak, padding, memory spaces",
    "live-range": "live memory over the schedule, which buffers are live at the peak",
    "flagfile": "compiler flags in force",
    "execution-options": "partitions and device order",
    "target": "the chip compiled for",
}


@dataclass(slots=True)
class _Reading:
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
        self.missing.append(Missing(what, because))


def extract_folder(
    folder: Path, request: ExtractRequest | None = None, progress: Progress | None = None
) -> Extract:
    """Read the artifacts of one program: an XLA dump, an aot run, a slice's record, or an HLO text file.

    ``progress`` is told what is being read. Raises NothingToCheckError when the folder holds no artifact;
    anything malformed or missing is named in ``Extract.missing`` instead.
    """
    asked = request or ExtractRequest()
    artifacts = find_artifacts(folder, asked.module)
    reading = _Reading(artifacts, asked, progress or (lambda _: None))
    reading.request = reading.attempt("the run's own record", asked, lambda: completed(asked, artifacts))
    return _extract(reading)


def _extract(reading: _Reading) -> Extract:
    stablehlo = _stablehlo(reading)
    assignment, live = _assignment(reading)
    curve = timeline(assignment, live) if assignment and live else None
    buffers = memory.candidates(assignment, live, curve.peak_at if curve else None) if assignment else []
    module, stage = _module(reading, memory.names_wanted(buffers))
    executions = count_executions(module) if module else Executions()
    execution = reading.attempt(
        "execution options", Execution(), lambda: read_execution(reading.artifacts.path("execution-options"))
    )
    target = reading.attempt(
        "target", Target(), lambda: read_target(reading.artifacts.path("target"), execution.devices)
    )
    cluster, mesh_from = _cluster(reading, module, stablehlo, execution)
    outcome = _outcome(reading)
    figures = _memory(reading, module, stablehlo, assignment, outcome, cluster.partitions)
    figures = _with_limit(figures, reading.request, outcome, target.chip)
    if assignment:
        none: tuple[Buffer, ...] = ()
        described = reading.attempt(
            "largest buffers", none, lambda: memory.largest(buffers, assignment, live, module)
        )
        figures = replace(
            figures, largest=described, timeline=curve, peak_live_bytes=curve.peak_bytes if curve else None
        )
        figures = _with_fragmentation(figures, assignment)
    collectives = _collectives(reading, module, executions, cluster, stablehlo)
    code_path = _code_path(reading, module, executions, assignment, stablehlo, collectives)
    _note_absent_files(reading)
    return Extract(
        source=_source(reading),
        program=_program(module, stage, stablehlo, execution, reading, cluster.mesh, mesh_from),
        target=target,
        outcome=outcome,
        memory=figures,
        code_path=code_path,
        collectives=collectives,
        flags=_flags(reading),
        phases=tuple(Phase(name, seconds) for name, seconds in reading.request.compile_seconds.items()),
        missing=tuple(reading.missing),
    )


def _stablehlo(reading: _Reading) -> StableHlo | None:
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


def _assignment(reading: _Reading) -> tuple[Assignment | None, LiveRanges | None]:
    path, ranges = (reading.artifacts.path(role) for role in ("buffer-assignment", "live-range"))
    assignment = reading.attempt("buffer assignment", None, lambda: read_assignment(path) if path else None)
    if assignment and assignment.truncated:
        reading.lacks("part of the buffer assignment", f"{path.name if path else ''} is cut off")
    live = reading.attempt("live ranges", None, lambda: read_live_ranges(ranges) if ranges else None)
    return (assignment if assignment and assignment.allocations else None), live


def _read_hlo(reading: _Reading, path: Path, wanted: set[str]) -> Module | None:
    return reading.attempt(f"HLO text {path.name}", None, lambda: read_module(path, wanted=wanted))


def _module(reading: _Reading, wanted: set[str]) -> tuple[Module | None, str]:
    for role, usual in (
        ("optimised", "final"),
        ("oom-intermediate", "oom-intermediate"),
        ("before", "before-optimizations"),
    ):
        path = reading.artifacts.path(role)
        if path is None:
            continue
        oom = role == "optimised" and reading.artifacts.path("oom-intermediate")
        stage = "oom-intermediate" if oom else usual
        module = _read_hlo(reading, path, wanted)
        if module and module.instruction_count:
            for problem in module.problems:
                reading.lacks("part of the HLO", problem)
            if role == "before":
                reading.lacks("the compiled program", "the dump holds only the HLO before optimisation")
            return module, stage
        reading.lacks(f"HLO in {path.name}", "no instruction in it")
    if reading.artifacts.path("optimised-proto"):
        reading.lacks("the optimised HLO", "it is there only as a proto; give --toolchain to read it")
    else:
        reading.lacks("the optimised HLO", "the compile left none")
    return None, "none"


def _cluster(
    reading: _Reading, module: Module | None, stablehlo: StableHlo | None, execution: Execution
) -> tuple[Cluster, str]:
    mesh, origin = _mesh(reading.request.mesh, module, stablehlo)
    partitions = execution.partitions or _partitions(module)
    if not partitions:
        partitions = 1
        for axis in mesh:
            partitions *= axis.size
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


def _partitions(module: Module | None) -> int | None:
    text = module.header_value("num_partitions") if module else ""
    return int(text) if text.isdigit() else None


def _outcome(reading: _Reading) -> Outcome:
    return reading.attempt(
        "outcome",
        Outcome("unknown"),
        lambda: read_outcome(
            reading.request.log,
            oom=reading.artifacts.path("oom-intermediate") is not None,
            finished=bool(reading.request.memory_stats) or reading.artifacts.path("codegen") is not None,
        ),
    )


def _memory(
    reading: _Reading,
    module: Module | None,
    stablehlo: StableHlo | None,
    assignment: Assignment | None,
    outcome: Outcome,
    partitions: int,
) -> Memory:
    found = reading.attempt(
        "memory figures", Memory(), lambda: memory.figures(reading.request.memory_stats, assignment)
    )
    if found.fit_bytes is None:
        reading.lacks("memory per device", "neither memory statistics nor a buffer assignment")
    if assignment:
        report = reading.artifacts.path("memory-usage")
        found = replace(found, spaces=memory.spaces(assignment, list(read_spaces(report)) if report else ()))
    if module:
        found = replace(
            found,
            parameters=reading.attempt(
                "parameters",
                Parameters(),
                lambda: memory.parameters(module, stablehlo, assignment, partitions),
            ),
            donation=reading.attempt(
                "donation", Donation(), lambda: memory.donation(module, stablehlo, assignment)
            ),
        )
    return found


def _with_limit(found: Memory, request: ExtractRequest, outcome: Outcome, chip: str) -> Memory:
    """Hold the fit figure against the limit; a known limit close to the printed, rounded one is kept."""
    printed = outcome.error.limit_bytes if outcome.error and outcome.error.space == "hbm" else None
    limit, origin = request.hbm_limit_bytes, "given"
    if printed and (limit is None or abs(limit - printed) > printed // 1000):
        limit, origin = printed, "the compiler's message"
    if limit is None and chip and (known := find_chip(chip)):
        limit, origin = known.hbm_per_device, f"chip data of {known.name}"
    if limit is None:
        return found
    headroom = limit - found.fit_bytes if found.fit_bytes is not None else None
    return replace(found, limit_bytes=limit, limit_from=origin, headroom_bytes=headroom)


def _with_fragmentation(found: Memory, assignment: Assignment) -> Memory:
    if found.peak_live_bytes is None:
        return found
    allocated = assignment.total(("parameter", "constant", "output", "temporary"))
    return replace(found, fragmentation_bytes=max(0, allocated - found.peak_live_bytes))


def _collectives(
    reading: _Reading,
    module: Module | None,
    executions: Executions,
    cluster: Cluster,
    stablehlo: StableHlo | None,
) -> Collectives:
    if module is None:
        return Collectives()
    if executions.unknown_loops:
        reading.lacks(
            "executions inside some loops",
            f"trip count not in the HLO, counted once: {', '.join(executions.unknown_loops[:8])}",
        )
    return reading.attempt(
        "collectives", Collectives(), lambda: read_collectives(module, executions, cluster, stablehlo)
    )


def _code_path(
    reading: _Reading,
    module: Module | None,
    executions: Executions,
    assignment: Assignment | None,
    stablehlo: StableHlo | None,
    collectives: Collectives,
) -> CodePath:
    if module is None:
        return CodePath()
    unknown = kernels.Path("unknown", "could not be read")
    found: tuple[Kernel, ...] = reading.attempt(
        "kernels", (), lambda: kernels.read_kernels(module, executions)
    )
    attention = reading.attempt("attention", unknown, lambda: kernels.attention_path(module, found))
    moe = reading.attempt("mixture of experts", unknown, lambda: kernels.moe_path(module, found, stablehlo))
    no_dots: tuple[Dots, list[str]] = Dots(), []
    census, uncounted = reading.attempt(
        "dots", no_dots, lambda: dots.read_dots(module, executions, stablehlo)
    )
    if uncounted:
        reading.lacks("FLOPs of some dots", f"shape or window not readable: {', '.join(uncounted[:8])}")
    host = reading.attempt(
        "host offload", HostOffload(), lambda: offload.read_offload(module, executions, assignment, stablehlo)
    )
    path = CodePath(
        attention=attention.name,
        attention_why=attention.why,
        moe=moe.name,
        moe_why=moe.why,
        kernels=found,
        dots=census,
        remat=reading.attempt("remat", Remat(), lambda: dots.read_remat(module, executions, found)),
        host_offload=host,
        sparsecore=reading.attempt(
            "SparseCore work", (), lambda: offload.read_sparsecore(module, collectives)
        ),
    )
    return replace(path, fallbacks=tuple(_fallbacks(path)))


def _fallbacks(path: CodePath) -> list[Fallback]:
    found: list[Fallback] = []
    if path.attention == "dot-product":
        found.append(Fallback("attention without a kernel", path.attention_why))
    if path.moe in ("ragged-dot", "dense"):
        found.append(Fallback("experts without a grouped-matmul kernel", path.moe_why))
    host = path.host_offload
    if host.copied_back:
        shapes = ", ".join(copy.shape for copy in host.copied_back[:4])
        found.append(Fallback("offloaded stack copied back to the device whole", shapes))
    if host.annotated and not host.kept_buffers:
        found.append(
            Fallback("host offload undone", f"{host.annotated} annotations, no buffer in host memory")
        )
    if path.remat.compiler_clones:
        found.append(
            Fallback(
                "the compiler recomputes on its own to save memory", f"{path.remat.compiler_clones} clones"
            )
        )
    return found


def _flags(reading: _Reading) -> Flags:
    artifacts, requested = reading.artifacts, reading.request.requested_flags
    return reading.attempt(
        "compiler flags",
        Flags(),
        lambda: check_flags(
            requested, flagfile=artifacts.path("flagfile"), environment=artifacts.path("environment")
        ),
    )


def _note_absent_files(reading: _Reading) -> None:
    for role, tells in _TELLS.items():
        if reading.artifacts.path(role) is None:
            reading.lacks(tells, f"no {role} file")


def _source(reading: _Reading) -> Source:
    files = tuple(
        SourceFile(role, path.name, path.stat().st_size)
        for role, path in sorted(reading.artifacts.by_role.items())
        if path.is_file()
    )
    return Source(reading.artifacts.kind, str(reading.artifacts.root), reading.artifacts.module, files)


def _program(
    module: Module | None,
    stage: str,
    stablehlo: StableHlo | None,
    execution: Execution,
    reading: _Reading,
    mesh: tuple[MeshAxis, ...],
    mesh_from: str,
) -> Program:
    name = module.name if module else re.sub(r"^module_\d+\.|\.cl_\d+$", "", reading.artifacts.module)
    return Program(
        name=name,
        fingerprint=module.fingerprint if module else "",
        stablehlo_sha256=stablehlo.sha256 if stablehlo else None,
        stage=stage,
        partitions=execution.partitions or _partitions(module),
        replicas=execution.replicas,
        slices=max(len(set(slices_of(execution.devices, execution.partitions, reading.request.slices))), 1),
        instructions=module.instruction_count if module else 0,
        computations=len(module.computations) if module else 0,
        mesh=tuple((axis.name, axis.size) for axis in mesh),
        mesh_from=mesh_from,
    )

"""From a folder of compiler artifacts to an :class:`Extract`: each part on its own, what fails is named."""

import re
from dataclasses import replace
from pathlib import Path

from tpuguru.artifacts import dots, kernels, memory, offload
from tpuguru.artifacts.bounds import bounded
from tpuguru.artifacts.buffers import Assignment, read_spaces
from tpuguru.artifacts.code_model import CodePath, Collectives, Dots, Fallback, HostOffload, Kernel, Remat
from tpuguru.artifacts.collectives import Cluster, asked_for, read_collectives
from tpuguru.artifacts.files import find_artifacts
from tpuguru.artifacts.flags import check_flags
from tpuguru.artifacts.hlo.loops import Executions, count_executions
from tpuguru.artifacts.hlo.module import Module
from tpuguru.artifacts.liveness import timeline
from tpuguru.artifacts.made import largest_made
from tpuguru.artifacts.memory_model import Buffer, Donation, Memory, Parameters
from tpuguru.artifacts.model import (
    Extract,
    Flags,
    Outcome,
    Phase,
    Program,
    Source,
    SourceFile,
    Target,
)
from tpuguru.artifacts.outcome import read_outcome
from tpuguru.artifacts.reading import (
    Progress,
    Reading,
    find_cluster,
    partitions_in,
    read_asked,
    read_buffers,
    read_program,
)
from tpuguru.artifacts.records import completed
from tpuguru.artifacts.request import ExtractRequest
from tpuguru.artifacts.stablehlo import StableHlo
from tpuguru.artifacts.target import Execution, read_execution, read_target
from tpuguru.hardware.chips import find_chip

# What each file tells, for the note when it is not there.
_TELLS = {
    "buffer-assignment": "buffers at the peak, padding, memory spaces",
    "live-range": "live memory over the schedule, which buffers are live at the peak",
    "flagfile": "compiler flags in force",
    "execution-options": "partitions and device order",
    "target": "the chip compiled for",
}


def extract_folder(
    folder: Path, request: ExtractRequest | None = None, progress: Progress | None = None
) -> Extract:
    """Read the artifacts of one program: an XLA dump, an aot run, a slice's record, or an HLO text file.

    ``progress`` is told what is being read. Raises NothingToCheckError when the folder holds no artifact;
    anything malformed or missing is named in ``Extract.missing`` instead.
    """
    asked = request or ExtractRequest()
    artifacts = find_artifacts(folder, asked.module)
    reading = Reading(artifacts, asked, progress or (lambda _: None))
    reading.request = reading.attempt("the run's own record", asked, lambda: completed(asked, artifacts))
    return bounded(_extract(reading))


def _extract(reading: Reading) -> Extract:
    stablehlo = read_asked(reading)
    assignment, live = read_buffers(reading)
    curve = timeline(assignment, live) if assignment and live else None
    buffers = memory.candidates(assignment, live, curve.peak_at if curve else None) if assignment else []
    module, stage = read_program(reading, memory.names_wanted(buffers))
    executions = count_executions(module) if module else Executions()
    execution = reading.attempt(
        "execution options", Execution(), lambda: read_execution(reading.artifacts.path("execution-options"))
    )
    target = reading.attempt(
        "target", Target(), lambda: read_target(reading.artifacts.path("target"), execution.devices)
    )
    cluster, mesh_from = find_cluster(reading, module, stablehlo, execution)
    outcome = _outcome(reading)
    figures = _memory(reading, module, stablehlo, assignment, cluster.partitions)
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
    elif module:
        none_made: tuple[Buffer, ...] = ()
        made = reading.attempt("largest arrays", none_made, lambda: largest_made(module, executions))
        figures = replace(figures, made=made)
    collectives = _collectives(reading, module, executions, cluster, stablehlo)
    code_path = _code_path(reading, module, executions, assignment, stablehlo, collectives)
    _note_absent_files(reading)
    return Extract(
        source=_source(reading),
        program=_program(reading, module, stage, stablehlo, execution, cluster, mesh_from),
        target=target,
        outcome=outcome,
        memory=figures,
        code_path=code_path,
        collectives=collectives,
        flags=_flags(reading),
        phases=tuple(Phase(name, seconds) for name, seconds in reading.request.compile_seconds.items()),
        missing=tuple(reading.missing),
    )


def _outcome(reading: Reading) -> Outcome:
    return reading.attempt(
        "outcome",
        Outcome("unknown"),
        lambda: read_outcome(
            reading.request.log,
            reading.request.compiler_message,
            oom=reading.artifacts.path("oom-intermediate") is not None,
            finished=bool(reading.request.memory_stats) or reading.artifacts.path("codegen") is not None,
        ),
    )


def _memory(
    reading: Reading,
    module: Module | None,
    stablehlo: StableHlo | None,
    assignment: Assignment | None,
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
    reading: Reading,
    module: Module | None,
    executions: Executions,
    cluster: Cluster,
    stablehlo: StableHlo | None,
) -> Collectives:
    if module is None:
        return Collectives(asked=asked_for(stablehlo))
    if executions.unknown_loops:
        reading.lacks(
            "executions inside some loops",
            f"trip count not in the HLO, counted once: {', '.join(executions.unknown_loops[:8])}",
        )
    return reading.attempt(
        "collectives", Collectives(), lambda: read_collectives(module, executions, cluster, stablehlo)
    )


def _code_path(
    reading: Reading,
    module: Module | None,
    executions: Executions,
    assignment: Assignment | None,
    stablehlo: StableHlo | None,
    collectives: Collectives,
) -> CodePath:
    if module is None:
        annotated = stablehlo.host_annotations if stablehlo else None
        return CodePath(
            dots=Dots(stablehlo=dots.asked_for(stablehlo)), host_offload=HostOffload(annotated=annotated)
        )
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


def _flags(reading: Reading) -> Flags:
    artifacts, requested = reading.artifacts, reading.request.requested_flags
    return reading.attempt(
        "compiler flags",
        Flags(),
        lambda: check_flags(
            requested, flagfile=artifacts.path("flagfile"), environment=artifacts.path("environment")
        ),
    )


def _note_absent_files(reading: Reading) -> None:
    for role, tells in _TELLS.items():
        if reading.artifacts.path(role) is None:
            reading.lacks(tells, f"no {role} file")


def _source(reading: Reading) -> Source:
    files = tuple(
        SourceFile(role, path.name, path.stat().st_size)
        for role, path in sorted(reading.artifacts.by_role.items())
        if path.is_file()
    )
    return Source(reading.artifacts.kind, str(reading.artifacts.root), reading.artifacts.module, files)


def _program(
    reading: Reading,
    module: Module | None,
    stage: str,
    stablehlo: StableHlo | None,
    execution: Execution,
    cluster: Cluster,
    mesh_from: str,
) -> Program:
    name = module.name if module else re.sub(r"^module_\d+\.|\.cl_\d+$", "", reading.artifacts.module)
    stated = execution.partitions or partitions_in(module) or reading.request.partitions
    return Program(
        name=name,
        fingerprint=module.fingerprint if module else "",
        stablehlo_sha256=stablehlo.sha256 if stablehlo else None,
        stage=stage,
        partitions=stated or (cluster.partitions if cluster.mesh else None),
        replicas=execution.replicas,
        slices=max(len(set(cluster.slice_of)), 1),
        instructions=module.instruction_count if module else 0,
        computations=len(module.computations) if module else 0,
        mesh=tuple((axis.name, axis.size) for axis in cluster.mesh),
        mesh_from=mesh_from,
    )

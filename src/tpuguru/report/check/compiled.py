"""From a finished run to what its artifacts say, read once and kept beside the run."""

import hashlib
from pathlib import Path

import msgspec

from tpuguru import __version__
from tpuguru.aot.record import MemoryAnalysis, RunRecord
from tpuguru.artifacts.model import Extract
from tpuguru.artifacts.request import ExtractRequest, MeshAxis
from tpuguru.base.locations import cache_directory
from tpuguru.launch.model import Launch
from tpuguru.report.check.progress import Say

# The compiler's own names for the figures that the run record keeps.
_STATISTICS = {
    "argument": "argument_size_in_bytes",
    "output": "output_size_in_bytes",
    "temporary": "temp_size_in_bytes",
    "alias": "alias_size_in_bytes",
    "generated_code": "generated_code_size_in_bytes",
    "host_argument": "host_argument_size_in_bytes",
    "host_output": "host_output_size_in_bytes",
    "host_temporary": "host_temp_size_in_bytes",
    "host_alias": "host_alias_size_in_bytes",
    "host_generated_code": "host_generated_code_size_in_bytes",
    "peak": "peak_memory_in_bytes",
}


def extract_run(record: RunRecord, launch: Launch, hbm_bytes: int | None, say: Say) -> Extract:
    """Return what the run's artifacts say. NothingToCheckError when it left none."""
    request = extract_request(record, launch, hbm_bytes)
    kept = _kept_at(record, request)
    known = _read(kept)
    if known is not None:
        return known
    from tpuguru.artifacts.extract import extract_folder  # noqa: PLC0415 - not needed for what is kept

    say("reading the compiler's artifacts")
    extract = extract_folder(record.folder / "dump", request)
    _keep(kept, extract)
    return extract


def extract_request(record: RunRecord, launch: Launch, hbm_bytes: int | None) -> ExtractRequest:
    """Return what the run knows beyond its dump folder."""
    program = record.folder / "program" / "train_step.stablehlo.mlir"
    log = record.folder / "logs" / "worker.err"
    return ExtractRequest(
        mesh=tuple(MeshAxis(axis, size) for axis, size in record.mesh.items()),
        slices=record.slices,
        requested_flags=requested_flags(launch),
        memory_stats=_statistics(record.memory) if record.memory else None,
        compile_seconds={phase.name: phase.seconds for phase in record.phases},
        stablehlo=program if program.exists() else None,
        log=log if log.exists() else None,
        hbm_limit_bytes=hbm_bytes,
    )


def requested_flags(launch: Launch) -> dict[str, str]:
    """Return the compiler flags in force by name without dashes; one without a value reads true."""
    return {
        flag.key.lstrip("-"): flag.text or "true"
        for flag in launch.compiler_flags
        if flag.overridden_by is None and isinstance(flag.text, str)
    }


def _statistics(memory: MemoryAnalysis) -> dict[str, int]:
    return {name: getattr(memory, ours) for ours, name in _STATISTICS.items()}


def _kept_at(record: RunRecord, request: ExtractRequest) -> Path:
    """Return where the extract of this run is kept: by run, question and version of the reader."""
    question = repr((record.run_id, request.requested_flags, request.hbm_limit_bytes, __version__))
    name = hashlib.sha256(question.encode()).hexdigest()[:24]
    return cache_directory() / "extracts" / f"{name}.json"


def _read(path: Path) -> Extract | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Extract)
    except (OSError, msgspec.MsgspecError):
        return None


def _keep(path: Path, extract: Extract) -> None:
    """Write beside, then move: no half file is left, and a full disk only costs the next check time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".part")
        scratch.write_bytes(msgspec.json.encode(extract))
        scratch.replace(path)
    except OSError:
        return

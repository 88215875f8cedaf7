"""What a finished run left, by kind, and how to take it elsewhere."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tpuguru.aot.record import RunRecord
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.units import MiB, format_bytes

# File name patterns relative to the run's folder, the first that matches names the kind.
_KINDS = (
    ("stdout", "logs/worker.out"),
    ("stderr", "logs/worker.err"),
    ("events", "events.jsonl"),
    ("job", "job.json"),
    ("record", "record.json"),
    ("resolved configuration", "config/resolved.json"),
    ("StableHLO", "program/*.stablehlo.mlir"),
    ("StableHLO with locations", "program/*.debug.mlir"),
    ("optimised HLO", "program/*.optimized.hlo.txt"),
    ("analysis", "program/*.json"),
    ("HLO before optimisation", "dump/*before_optimizations.*"),
    ("HLO out of memory", "dump/*oom_intermediate_module*"),
    ("buffer assignment", "dump/*buffer-assignment*"),
    ("live ranges", "dump/*live-range*"),
    ("memory usage report", "dump/*memory-usage-report*"),
    ("HLO optimised, by stage", "dump/*after_optimizations*"),
    ("HLO after code generation", "dump/*after_codegen*"),
    ("flag file", "dump/*flagfile"),
    ("compiler environment", "dump/*tpu_comp_env*"),
    ("execution options", "dump/*execution_options*"),
    ("transfer statistics", "dump/*transfer_stats*"),
    ("LLO", "llo/**/*"),
    ("other compiler files", "dump/**/*"),
)
LLO_LIMIT_BYTES = 256 * MiB


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a run; ``path`` is relative to the run's folder."""

    kind: str
    path: str
    size: int


def artifacts_of(record: RunRecord) -> list[Artifact]:
    """Return every file of the run with its kind, in the order of the kinds."""
    if not record.folder.is_dir() or record.folder == Path():
        raise UsageError(f"run {record.run_id} left no files: it is {record.state}")
    seen: set[Path] = set()
    found = []
    for kind, pattern in _KINDS:
        for path in sorted(record.folder.glob(pattern)):
            if path.is_file() and path not in seen:
                seen.add(path)
                found.append(Artifact(kind, str(path.relative_to(record.folder)), path.stat().st_size))
    return found


def copy_artifacts(record: RunRecord, artifacts: Iterable[Artifact], target: Path) -> int:
    """Copy the files under ``target`` and return the bytes written. ToolFailureError when they do not fit.

    A file appears under its name only when it is whole.
    """
    artifacts = list(artifacts)
    wanted = sum(artifact.size for artifact in artifacts)
    try:
        target.mkdir(parents=True, exist_ok=True)
        _require_space(target, wanted)
        for artifact in artifacts:
            final = target / artifact.path
            final.parent.mkdir(parents=True, exist_ok=True)
            partial = final.with_name(final.name + ".part")
            try:
                shutil.copyfile(record.folder / artifact.path, partial)
                partial.replace(final)
            finally:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise ToolFailureError(
            f"the artifacts of run {record.run_id} cannot be written to {target}: {error.strerror or error}",
            help="give another folder with --output",
        ) from error
    return wanted


def _require_space(target: Path, wanted: int) -> None:
    free = shutil.disk_usage(target).free
    if free < wanted:
        raise ToolFailureError(
            f"the artifacts take {format_bytes(wanted)} and {target} has {format_bytes(free)} free",
            help="give another folder with --output",
        )


def trim_llo(folder: Path, limit: int = LLO_LIMIT_BYTES) -> tuple[int, int]:
    """Delete the largest LLO files until the rest fits ``limit``; return files and bytes deleted."""
    files = sorted(
        (path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size
    )
    total = sum(path.stat().st_size for path in files)
    count = gone = 0
    while files and total - gone > limit:
        largest = files.pop()
        gone += largest.stat().st_size
        count += 1
        largest.unlink()
    return count, gone

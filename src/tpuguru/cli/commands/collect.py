"""``tpuguru collect``: a run's record and files."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tpuguru.cli.commands import _launch_job

if TYPE_CHECKING:
    from tpuguru.aot.artifacts_index import Artifact
    from tpuguru.aot.record import RunRecord

SUMMARY = "wait for a run, then show what came out and where its files are, or copy them"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("run_id", help="the run's id, or an unambiguous beginning of it")
    parser.add_argument("--output", metavar="FOLDER", help="copy the files there")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def run(arguments: argparse.Namespace) -> int:
    """Wait, then print or copy. The exit status is 1 for a run that failed."""
    from tpuguru.aot.artifacts_index import artifacts_of, copy_artifacts  # noqa: PLC0415
    from tpuguru.aot.runs import wait  # noqa: PLC0415
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415

    record = wait(arguments.run_id, on_event=_launch_job.listener(quiet=arguments.quiet))
    artifacts = artifacts_of(record)
    if arguments.output:
        copy_artifacts(record, artifacts, Path(arguments.output))
    folder = Path(arguments.output) if arguments.output else record.folder
    if arguments.output_format == "json":
        print(_as_json(record, artifacts, folder))
    else:
        print(_as_text(record, artifacts, folder))
    return ExitCode.FINDINGS if record.failure else ExitCode.CLEAN


def _as_json(record: "RunRecord", artifacts: list["Artifact"], folder: Path) -> str:
    import msgspec  # noqa: PLC0415

    from tpuguru.aot.serial import record_to_json  # noqa: PLC0415

    content = {
        "record": msgspec.json.decode(record_to_json(record)),
        "folder": str(folder),
        "artifacts": artifacts,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode()


def _as_text(record: "RunRecord", artifacts: list["Artifact"], folder: Path) -> str:
    from tpuguru.base.units import format_bytes  # noqa: PLC0415

    lines = [
        f"run {record.run_id}: {record.state} · {record.toolchain} · {record.slices} x {record.topology}",
        *([f"{record.failure.kind}: {record.failure.message[:500]}"] if record.failure else []),
        *([f"StableHLO {record.stablehlo_sha256[:12]}"] if record.stablehlo_sha256 else []),
        *([f"needs {format_bytes(record.memory.fit_bytes)} a device"] if record.memory else []),
        f"files in {folder}",
        *(f"  {artifact.path}  {format_bytes(artifact.size)}  {artifact.kind}" for artifact in artifacts),
    ]
    return "\n".join(lines)

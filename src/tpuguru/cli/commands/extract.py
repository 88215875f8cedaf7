"""``tpuguru extract RUN_ID|FOLDER``: what a compile's artifacts say."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.artifacts.request import ExtractRequest, MeshAxis

SUMMARY = "Read a compile's artifacts: memory, kernels, collectives, flags (a run, a dump, or HLO text)."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "source", metavar="RUN_ID|FOLDER", help="a run's id, a dump folder, or an HLO text file"
    )
    parser.add_argument(
        "--format", choices=["text", "json"], default="text", help="json: contract extract/v1"
    )
    parser.add_argument(
        "--mesh", default="", metavar="AXIS=N,…", help="mesh axes, major first: data=1,fsdp=8"
    )
    parser.add_argument("--slices", type=int, default=1, metavar="N", help="number of slices (default 1)")
    parser.add_argument(
        "--flags", default="", metavar="FLAGS", help="flags that were asked for: --flags='--xla_…=…'"
    )
    parser.add_argument(
        "--module", metavar="NAME", help="the program to read, of several (default: the largest)"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="output of the compile, for its error")
    parser.add_argument("--toolchain", metavar="NAME", help="toolchain that reads protos and MLIR bytecode")


def run(arguments: argparse.Namespace) -> int:
    """Print the extract. Exit code 3 when there is nothing to read."""
    import tempfile  # noqa: PLC0415

    from tpuguru.artifacts.extract import extract_folder  # noqa: PLC0415
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415

    folder = _folder(arguments.source)
    request = _request(arguments)
    with tempfile.TemporaryDirectory(prefix="tpuguru-extract-") as scratch:
        if arguments.toolchain:
            request = _converted(folder, request, arguments.toolchain, Path(scratch))
        extract = extract_folder(folder, request, _Progress())
    if arguments.format == "json":
        from tpuguru.report.contracts.extract import to_contract, to_json  # noqa: PLC0415

        sys.stdout.write(to_json(to_contract(extract)).decode() + "\n")
    else:
        from tpuguru.report.extract import extract_text  # noqa: PLC0415

        sys.stdout.write(extract_text(extract))
    return ExitCode.CLEAN


def _folder(source: str) -> Path:
    """Return the folder of a run or a rehearsal by its id, or the path as it is."""
    from tpuguru.base.locations import state_directory  # noqa: PLC0415

    path = Path(source)
    if not path.exists() and source and "/" not in source:
        kept = (state_directory() / "runs" / source, state_directory() / "rehearsals" / source / "records")
        for folder in kept:
            if folder.is_dir():
                return folder
    return path


def _request(arguments: argparse.Namespace) -> "ExtractRequest":
    from tpuguru.artifacts.request import ExtractRequest  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    if arguments.slices < 1:
        raise UsageError(f"--slices {arguments.slices}: a program runs on at least one slice")
    if arguments.log and not arguments.log.is_file():
        raise UsageError(f"--log {arguments.log}: no such file")
    words = (word.lstrip("-").partition("=") for word in arguments.flags.split())
    return ExtractRequest(
        mesh=_mesh(arguments.mesh),
        slices=arguments.slices,
        requested_flags={name: value or "true" for name, _, value in words},
        module=arguments.module,
        log=arguments.log,
    )


def _mesh(text: str) -> "tuple[MeshAxis, ...]":
    from tpuguru.artifacts.request import MeshAxis  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    axes = []
    for word in filter(None, text.split(",")):
        name, _, size = word.partition("=")
        if not name or not size.isdigit() or int(size) < 1:
            raise UsageError(
                f"--mesh: {word!r} is not AXIS=N", help="for example --mesh data=1,fsdp=8,tensor=1"
            )
        axes.append(MeshAxis(name, int(size)))
    return tuple(axes)


def _converted(folder: Path, request: "ExtractRequest", name: str, scratch: Path) -> "ExtractRequest":
    from tpuguru.aot.toolchains import find_toolchain  # noqa: PLC0415
    from tpuguru.artifacts.conversion import with_text  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    toolchain = find_toolchain(name)
    if not toolchain.installed():
        raise UsageError(f"the toolchain {name} is not installed", help=f"tpuguru toolchain install {name}")
    return with_text(folder, request, toolchain.python, scratch, _say)


class _Progress:
    """Names what is being read once the reading has taken a second; short ones stay silent."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, what: str) -> None:
        if time.monotonic() - self._started > 1:
            _say(f"reading {what}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)

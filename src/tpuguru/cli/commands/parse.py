"""Read a paste and print the launch in it, normalised."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.launch.model import Paste

SUMMARY = "read a pasted command, script or manifest and print the normalised launch"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paste", nargs="?", help="script, YAML or launch JSON; - reads standard input")
    parser.add_argument("--command", metavar="TEXT", help="the pasted command itself")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="add a setting to every launch; it is marked as filled in",
    )
    parser.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a variable that the paste takes from its environment; marked as filled in",
    )
    parser.add_argument(
        "--format", "--output-format", choices=("json", "text"), default="json", dest="format"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, normalise, print."""
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415
    from tpuguru.frameworks.registry import require_launches  # noqa: PLC0415
    from tpuguru.launch.filling import fill_in  # noqa: PLC0415
    from tpuguru.report.contracts.launch import launch_document  # noqa: PLC0415

    paste = _paste(arguments)
    fills = _pairs(arguments.set, "--set")
    launches = [fill_in(launch, fills) for launch in require_launches(paste)]
    document = launch_document(paste, launches)
    if arguments.format == "json":
        import msgspec  # noqa: PLC0415

        print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
    else:
        from tpuguru.report.rendering.launch_text import launch_text  # noqa: PLC0415

        print(launch_text(document))
    return ExitCode.CLEAN


def _paste(arguments: argparse.Namespace) -> "Paste":
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.launch.reader import COMMAND, read_paste, read_paste_file  # noqa: PLC0415

    given = _pairs(arguments.env, "--env")
    if (arguments.paste is None) == (arguments.command is None):
        raise UsageError(
            "name one paste: a file, - for standard input, or --command",
            help='tpuguru parse run.sh, or tpuguru parse --command "python3 -m maxtext.…"',
        )
    if arguments.command is not None:
        return read_paste(arguments.command, COMMAND, folder=Path.cwd(), given=given)
    return read_paste_file(arguments.paste, given=given)


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    pairs = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UsageError(f"{option} takes NAME=VALUE, not {text!r}")
        pairs[name] = value
    return pairs

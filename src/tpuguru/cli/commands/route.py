"""tpuguru route: which playbook and pages a symptom or a pasted artifact leads to."""

import argparse
import sys
from pathlib import Path

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.exit_codes import ExitCode

SUMMARY = "say which playbook and pages a symptom in words or a pasted artifact leads to"
_MAXIMUM_BYTES = 2_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "symptom", nargs="*", help="the symptom in words; - reads a paste from standard input"
    )
    parser.add_argument("--file", type=Path, help="a file with the pasted artifact")
    parser.add_argument("--show", action="store_true", help="print the playbook too")


def run(arguments: argparse.Namespace) -> int:
    """Print the route."""
    from tpuguru.base.redaction import redact  # noqa: PLC0415
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415

    text = _text(arguments)
    if not text.strip():
        raise NothingToCheckError("there is nothing to route", help='tpuguru route "the step became slow"')
    base = open_knowledge()
    route = base.route(text)
    pages = f" (pages: {', '.join(route.pages)})" if route.pages else ""
    print(f"playbooks/{route.playbook}.md{pages}")
    print(f"  because: {redact(route.why)}")
    if route.alternatives:
        print(f"  or: {', '.join(route.alternatives)}")
    if arguments.show:
        sys.stdout.write("\n" + base.playbook_text(route.playbook))
    return ExitCode.CLEAN


def _text(arguments: argparse.Namespace) -> str:
    if arguments.file:
        try:
            with arguments.file.open("rb") as file:
                return str(file.read(_MAXIMUM_BYTES).decode("utf-8", errors="replace"))
        except OSError as error:
            raise UsageError(f"cannot read {arguments.file}: {error.strerror}") from error
    if arguments.symptom == ["-"]:
        return sys.stdin.read(_MAXIMUM_BYTES)
    return " ".join(arguments.symptom)

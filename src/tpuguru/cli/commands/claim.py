"""tpuguru claim: whether «it is faster now» stands."""

import argparse
import sys
from typing import TYPE_CHECKING

from tpuguru.base.exit_codes import ExitCode

if TYPE_CHECKING:
    from tpuguru.telemetry.scan import Scan

SUMMARY = "Say whether «X is N % faster» stands, by a log from before and one from after"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--before", required=True, metavar="LOG")
    parser.add_argument("--after", required=True, metavar="LOG")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Compare and print; 1 when the claim does not stand."""
    from tpuguru.telemetry.comparison import Standing, compare  # noqa: PLC0415

    comparison = compare(_scan(arguments.before), _scan(arguments.after))
    if arguments.format == "json":
        import msgspec  # noqa: PLC0415

        from tpuguru.report.contracts.comparison import comparison_report  # noqa: PLC0415

        report = msgspec.json.encode(comparison_report(comparison))
        sys.stdout.write(msgspec.json.format(report, indent=2).decode() + "\n")
    else:
        from tpuguru.report.comparison import render_comparison  # noqa: PLC0415

        sys.stdout.write(render_comparison(comparison))
    return ExitCode.FINDINGS if comparison.standing is Standing.DOES_NOT_STAND else ExitCode.CLEAN


def _scan(path: str) -> "Scan":
    from tpuguru.telemetry.scan import scan  # noqa: PLC0415
    from tpuguru.telemetry.source import chunks, open_paste  # noqa: PLC0415

    with open_paste(path) as file:
        return scan(chunks(file, path))

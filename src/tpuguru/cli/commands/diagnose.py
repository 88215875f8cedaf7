"""tpuguru diagnose: what a log, an error, a profile, a benchmark or a claim really shows."""

import argparse
import sys

from tpuguru.base.exit_codes import ExitCode

SUMMARY = "Say what a pasted log, error, profile, benchmark or claim shows, with evidence"
_SEVERITIES = ("info", "warn", "critical")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paste", metavar="FILE|-", help="a file with the paste, or - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--fail-on",
        choices=_SEVERITIES,
        default="critical",
        help="exit 1 when a rule proves a finding of at least this severity (default: critical)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Diagnose and print."""
    from tpuguru.report.diagnosis.build import diagnose  # noqa: PLC0415

    diagnosed = diagnose(arguments.paste)
    if arguments.format == "json":
        import msgspec  # noqa: PLC0415

        text = msgspec.json.format(msgspec.json.encode(diagnosed.report), indent=2).decode() + "\n"
    else:
        from tpuguru.report.diagnosis.text import render_text  # noqa: PLC0415

        text = render_text(diagnosed.report)
    sys.stdout.write(text)
    at_least = _SEVERITIES.index(arguments.fail_on)
    proved = [item for item in diagnosed.report.findings if item.verdict == "applies"]
    failed = any(_SEVERITIES.index(item.severity) >= at_least for item in proved)
    return ExitCode.FINDINGS if failed else ExitCode.CLEAN

"""Write a check report in the formats that were asked for."""

import sys
from collections.abc import Sequence

import msgspec

from tpuguru.report.check.document import check_document
from tpuguru.report.contracts.check import CheckReport
from tpuguru.report.destinations import Output, chosen_outputs, write_whole
from tpuguru.report.rendering.markdown import markdown_text
from tpuguru.report.rendering.terminal import print_document, terminal_text

FORMATS = ("text", "json", "markdown")


def outputs(words: Sequence[str]) -> tuple[Output, ...]:
    """Read ``FORMAT[=FILE]`` words; UsageError as :func:`chosen_outputs`."""
    return chosen_outputs(words, FORMATS, example="json=check.json")


def write_report(report: CheckReport, chosen: Sequence[Output]) -> None:
    """Write the report. UsageError when a file cannot be written."""
    for output in chosen:
        if output.path is None:
            _print(report, output.format)
        else:
            write_whole(output.path, rendered(report, output.format))


def rendered(report: CheckReport, name: str) -> str:
    """Return the report in a format, as text."""
    if name == "json":
        return json_text(report)
    document = check_document(report)
    return markdown_text(document) if name == "markdown" else terminal_text(document)


def json_text(report: CheckReport) -> str:
    """Return the contract check/v1."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n"


def _print(report: CheckReport, name: str) -> None:
    if name == "text":
        print_document(check_document(report), sys.stdout)
    else:
        sys.stdout.write(rendered(report, name))

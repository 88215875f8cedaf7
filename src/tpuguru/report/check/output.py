"""Write a check report in the formats that were asked for."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tpuguru.base.errors import UsageError
from tpuguru.base.suggest import did_you_mean
from tpuguru.report.check.document import check_document
from tpuguru.report.contracts.check import CheckReport
from tpuguru.report.rendering.markdown import markdown_text
from tpuguru.report.rendering.terminal import print_document, terminal_text

FORMATS = ("text", "json", "markdown")


@dataclass(frozen=True, slots=True)
class Output:
    """A format, and the file it goes to; standard output when the path is None."""

    format: str
    path: Path | None = None


def outputs(words: Sequence[str]) -> tuple[Output, ...]:
    """Read ``FORMAT[=FILE]`` words. UsageError for an unknown format, or two formats for standard output."""
    chosen = tuple(_output(word) for word in words) or (Output("text"),)
    if sum(output.path is None for output in chosen) > 1:
        raise UsageError(
            "two formats cannot share standard output",
            help="give one a file: --output-format json=check.json",
        )
    return chosen


def _output(word: str) -> Output:
    name, _, path = word.partition("=")
    if name not in FORMATS:
        near = did_you_mean(name, FORMATS) or FORMATS
        raise UsageError(f"unknown output format {name!r}", help=f"use {' or '.join(near)}")
    return Output(name, Path(path) if path else None)


def write_report(report: CheckReport, chosen: Sequence[Output]) -> None:
    """Write the report. UsageError when a file cannot be written."""
    for output in chosen:
        if output.path is None:
            _print(report, output.format)
            continue
        try:
            output.path.write_text(rendered(report, output.format), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {output.path}: {error.strerror}") from error


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

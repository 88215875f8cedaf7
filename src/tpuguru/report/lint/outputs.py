"""The formats of a lint report; several in one run: ``--output-format sarif=out.sarif``."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TextIO

from tpuguru.base.errors import UsageError
from tpuguru.base.suggest import did_you_mean
from tpuguru.report.contracts.findings import LintReport
from tpuguru.report.lint.excerpts import Excerpts

FORMATS = ("text", "concise", "json", "sarif", "github", "markdown")
MACHINE_FORMATS = ("json", "sarif")
"""Formats that must be valid even when the run failed."""

type Render = Callable[[LintReport, Excerpts, "View"], str]


@dataclass(frozen=True, slots=True)
class View:
    """How to show a report: colours, and whether suppressed findings are shown too."""

    colour: bool = False
    suppressed: bool = False


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
            help="give one a file: --output-format sarif=out.sarif",
        )
    return chosen


def _output(word: str) -> Output:
    name, equals, path = word.partition("=")
    if name not in FORMATS:
        near = did_you_mean(name, FORMATS) or FORMATS
        raise UsageError(f"unknown output format {name!r}", help=f"use {' or '.join(near)}")
    if equals and not path:
        raise UsageError(f"the output format {name} names no file after =")
    return Output(name, Path(path) if path else None)


def write_outputs(
    report: LintReport, excerpts: Excerpts, chosen: Sequence[Output], *, suppressed: bool = False
) -> None:
    """Write the report in every chosen format. UsageError when a file cannot be written."""
    for output in chosen:
        view = View(colour=output.path is None and wants_colour(sys.stdout), suppressed=suppressed)
        text = renderer(output.format)(report, excerpts, view)
        if output.path is None:
            sys.stdout.write(text)
        else:
            write_whole(output.path, text)


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step, so that a killed run leaves the old one. UsageError when it cannot be."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def renderer(name: str) -> Render:
    """Return the function that renders a format; only that format's module is imported."""
    render: Render = import_module(f"tpuguru.report.lint.formats.{name}").render
    return render


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to colour: NO_COLOR and FORCE_COLOR decide, else whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()

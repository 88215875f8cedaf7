"""The formats of a lint report; several in one run: ``--output-format sarif=out.sarif``."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TextIO

from tpuguru.report.contracts.findings import LintReport
from tpuguru.report.destinations import Output, chosen_outputs, write_whole
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


def outputs(words: Sequence[str]) -> tuple[Output, ...]:
    """Read ``FORMAT[=FILE]`` words; UsageError as :func:`chosen_outputs`."""
    return chosen_outputs(words, FORMATS, example="sarif=out.sarif")


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


def renderer(name: str) -> Render:
    """Return the function that renders a format; only that format's module is imported."""
    render: Render = import_module(f"tpuguru.report.lint.formats.{name}").render
    return render


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to colour: NO_COLOR and FORCE_COLOR decide, else whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()

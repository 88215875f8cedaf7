"""Findings for people, as a compiler shows them: sentence, place, the line with carets, reasons below."""

import textwrap
from collections.abc import Iterator

from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.report.contracts.common import LocationRecord
from tpuguru.report.contracts.findings import LintFindingRecord, LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.formats.shown import (
    not_checked_lines,
    shown_findings,
    summary_line,
    word_for,
)
from tpuguru.report.lint.outputs import View

_COLOURS = {"critical": "1;31", "warn": "1;33", "info": "1;36", "borderline": "1;36", "dim": "2", "bold": "1"}
_WIDTH = 108
_BULLET = "     = "
_MAX_EVIDENCE = 8


def render(report: LintReport, excerpts: Excerpts, view: View) -> str:
    """Return the report as text."""
    paint = _painter(colour=view.colour)
    lines: list[str] = []
    for finding in shown_findings(report, suppressed=view.suppressed):
        lines += [*_finding(finding, report, excerpts, paint), ""]
    lines += [paint("dim", f"note: {note.message}{_at(note.location)}") for note in report.notes]
    lines += [paint("dim", line) for line in not_checked_lines(report)]
    lines += [f"error: {error.message}" for error in report.errors]
    lines.append(summary_line(report.summary))
    return "\n".join(lines) + "\n"


class _Paint:
    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, name: str, text: str) -> str:
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self._colour else text


def _painter(*, colour: bool) -> _Paint:
    return _Paint(colour=colour)


def _finding(
    finding: LintFindingRecord, report: LintReport, excerpts: Excerpts, paint: _Paint
) -> Iterator[str]:
    word = word_for(finding)
    yield f"{paint(word, word)}: {paint('bold', finding.title)} [{finding.name}] {LEVEL_SIGNS[finding.level]}"
    yield from _place(finding, report, excerpts, paint)
    if finding.message:
        yield from _item("", finding.message, paint)
    yield from _evidence(finding, paint)
    for label, text in (
        ("cost", finding.cost),
        ("fix", finding.fix),
        ("skip when", finding.skip_when),
        ("suppressed by", finding.suppressed_by),
    ):
        if text:
            yield from _item(label, text, paint)
    if finding.baseline == "unchanged":
        yield from _item("", "in the baseline", paint)
    if len(report.launches) > 1 and len(finding.launches) < len(report.launches):
        names = [_launch_name(report, position) for position in finding.launches]
        yield from _item("in", ", ".join(names), paint)
    if finding.id.startswith("R-") and finding.sources:  # only rules have a page
        yield from _item("more", f"tpuguru explain {finding.name}", paint)


def _place(
    finding: LintFindingRecord, report: LintReport, excerpts: Excerpts, paint: _Paint
) -> Iterator[str]:
    place = finding.location
    if place is None:
        launch = report.launches[finding.launches[0]] if finding.launches and report.launches else None
        where = launch.location if launch else None
        if where:
            yield paint("dim", f"  --> {where.path}:{where.line}:{where.column} (the launch)")
        return
    yield paint("dim", f"  --> {place.path}:{place.line}:{place.column}")
    marked = excerpts.marked(place)
    if marked:
        gutter = f"{place.line:4}"
        yield f"{paint('dim', gutter + ' |')} {marked[0]}"
        if marked[1]:
            yield f"{paint('dim', '     |')} {paint(word_for(finding), marked[1])}"


def _evidence(finding: LintFindingRecord, paint: _Paint) -> Iterator[str]:
    for item in finding.evidence[:_MAX_EVIDENCE]:
        yield from _item("because", f"{item.fact} = {item.value}  ({item.origin})", paint)
    hidden = len(finding.evidence) - _MAX_EVIDENCE
    if hidden > 0:
        yield from _item("because", f"{hidden} more facts (in the JSON output)", paint)


def _item(label: str, text: str, paint: _Paint) -> Iterator[str]:
    """Yield ``= label: text``, wrapped, with what follows the first line set under the text."""
    head = f"{label}: " if label else ""
    indent = " " * (len(_BULLET) + len(head))
    lines = [line for paragraph in text.split("\n") for line in _wrapped(paragraph, _WIDTH - len(indent))]
    for number, line in enumerate(lines):
        yield (f"{_BULLET}{paint('bold', head) if head else ''}" if number == 0 else indent) + line


def _wrapped(paragraph: str, width: int) -> list[str]:
    return textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)


def _launch_name(report: LintReport, position: int) -> str:
    launch = report.launches[position]
    return launch.variant or launch.entry_point


def _at(place: LocationRecord | None) -> str:
    return f" ({place.path}:{place.line})" if place else ""

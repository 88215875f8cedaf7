"""Workflow commands that GitHub shows as annotations beside the line."""

from tpuguru.report.contracts.findings import LintFindingRecord, LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.formats.shown import shown_findings, summary_line
from tpuguru.report.lint.outputs import View

_COMMANDS = {"critical": "error", "warn": "warning", "info": "notice"}


def render(report: LintReport, _excerpts: Excerpts, view: View) -> str:
    """Return the report as workflow commands."""
    lines = [_command(finding) for finding in shown_findings(report, suppressed=view.suppressed)]
    lines += [f"::error title=tpuguru::{_data(error.message)}" for error in report.errors]
    return "\n".join([*lines, summary_line(report.summary)]) + "\n"


def _command(finding: LintFindingRecord) -> str:
    properties = [f"title={_property(f'{finding.name}: {finding.title}')}"]
    place = finding.location
    if place is not None:
        properties += [f"file={_property(place.path)}", f"line={place.line}", f"col={place.column}"]
        if place.end_column and place.end_line in (None, place.line):
            properties.append(f"endColumn={place.end_column}")
    body = "\n".join(
        part for part in (finding.message or finding.title, finding.cost, f"Fix: {finding.fix}") if part
    )
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_data(body)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""One line a finding: ``file:line:column: severity: sentence [rule]``."""

from tpuguru.report.contracts.findings import LintFindingRecord, LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.formats.shown import (
    headline,
    place_text,
    shown_findings,
    summary_line,
    word_for,
)
from tpuguru.report.lint.outputs import View


def render(report: LintReport, _excerpts: Excerpts, view: View) -> str:
    """Return the report as lines."""
    lines = [_line(finding, report) for finding in shown_findings(report, suppressed=view.suppressed)]
    lines += [f"error: {error.message}" for error in report.errors]
    return "\n".join([*lines, summary_line(report.summary)]) + "\n"


def _line(finding: LintFindingRecord, report: LintReport) -> str:
    place = place_text(finding)
    if not place and finding.launches and report.launches:
        launch = report.launches[finding.launches[0]]
        place = (
            f"{launch.location.path}:{launch.location.line}:{launch.location.column}"
            if launch.location
            else launch.input
        )
    aside = (
        " (suppressed)" if finding.suppression else " (in the baseline)" if finding.baseline != "new" else ""
    )
    sentence = " ".join(headline(finding).split())
    return f"{place}: {word_for(finding)}: {sentence} [{finding.name}]{aside}"

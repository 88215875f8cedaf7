"""Findings as GitHub-flavoured Markdown, for a pull request or a job summary."""

from collections.abc import Iterator

from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.report.contracts.findings import LintFindingRecord, LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.formats.shown import (
    not_checked_lines,
    place_text,
    shown_findings,
    summary_line,
    word_for,
)
from tpuguru.report.lint.outputs import View
from tpuguru.report.rendering.markdown import escaped

_SIGNS = {"critical": "❌", "warn": "⚠️", "info": "ℹ️", "borderline": "ℹ️"}


def render(report: LintReport, _excerpts: Excerpts, view: View) -> str:
    """Return the report as Markdown."""
    names = ", ".join(f"`{paste.path}`" for paste in report.inputs) or "nothing"
    blocks = [f"# tpuguru lint: {names}", f"**{summary_line(report.summary)}**"]
    blocks += [f"> **error:** {escaped(error.message)}" for error in report.errors]
    for finding in shown_findings(report, suppressed=view.suppressed):
        blocks += _finding(finding)
    rest = [f"- {escaped(note.message)}" for note in report.notes]
    rest += [f"- {escaped(line)}" for line in not_checked_lines(report)]
    if rest:
        blocks += ["## Not checked, and notes", "\n".join(rest)]
    return "\n\n".join(blocks) + "\n"


def _finding(finding: LintFindingRecord) -> Iterator[str]:
    word = word_for(finding)
    yield f"### {_SIGNS[word]} {word}: {escaped(finding.title)} (`{finding.name}`, {finding.id})"
    bullets = [f"- **Setting:** `{finding.setting}` ({place_text(finding)})"] if finding.setting else []
    if finding.message:
        bullets.append(f"- {escaped(finding.message)}")
    bullets += [
        f"- **Because:** `{item.fact}` = {escaped(item.value)} ({escaped(item.origin)})"
        for item in finding.evidence
    ]
    for label, text in (("Cost", finding.cost), ("Fix", finding.fix), ("Skip when", finding.skip_when)):
        if text:
            bullets.append(f"- **{label}:** {_indented(text)}")  # the rule's own Markdown stays Markdown
    if finding.suppressed_by:
        bullets.append(f"- **Suppressed:** {escaped(finding.suppressed_by)}")
    sources = ", ".join(f"[{escaped(source.title)}]({source.url})" for source in finding.sources)
    bullets.append(f"- **Level:** {LEVEL_SIGNS[finding.level]} {finding.level}. **Source:** {sources}")
    yield "\n".join(bullets)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")

"""Which findings people see, in which order, and the words that the formats share."""

from tpuguru.report.contracts.findings import LintFindingRecord, LintReport, RuleNotChecked, SummaryRecord

_RANK = {"critical": 0, "warn": 1, "info": 2}
LEVEL_SIGNS = {"mechanism": "🟢", "pattern": "🟡", "number": "🔴"}
_STAGES = (
    ("observed.", "a log or a profile of the run (tpuguru diagnose)"),
    ("compiled.", "the compiled program (tpuguru check)"),
)


def shown_findings(report: LintReport, *, suppressed: bool) -> list[LintFindingRecord]:
    """Return the findings that count, worst first; with ``suppressed`` also those that do not."""
    findings = [finding for finding in report.findings if suppressed or counts(finding)]
    return sorted(findings, key=lambda finding: _RANK[finding.severity])


def counts(finding: LintFindingRecord) -> bool:
    """Tell whether a finding is neither suppressed nor in the baseline."""
    return finding.suppression is None and finding.baseline == "new"


def place_text(finding: LintFindingRecord) -> str:
    """Return ``file:line:column``, or an empty text."""
    place = finding.location
    return f"{place.path}:{place.line}:{place.column}" if place else ""


def headline(finding: LintFindingRecord) -> str:
    """Return the one sentence of a finding: its message when it has one, else its title."""
    return finding.message or finding.title


def word_for(finding: LintFindingRecord) -> str:
    """Return the severity as shown; a borderline finding is called so."""
    return "borderline" if finding.verdict == "borderline" else finding.severity


def summary_line(summary: SummaryRecord) -> str:
    """Return «3 findings: 1 critical, 2 warn, 0 info (1 suppressed, 2 in the baseline)»."""
    total = summary.critical + summary.warn + summary.info
    aside = [f"{summary.suppressed} suppressed"] if summary.suppressed else []
    aside += [f"{summary.in_baseline} in the baseline"] if summary.in_baseline else []
    counted = f"{summary.critical} critical, {summary.warn} warn, {summary.info} info"
    text = f"{total} {'finding' if total == 1 else 'findings'}: {counted}"
    return f"{text} ({', '.join(aside)})" if aside else text


def not_checked_lines(report: LintReport) -> list[str]:
    """Return what could not be told: rules that wait for the compile or a log are only counted."""
    waiting = [(_stage(rule), rule) for rule in report.not_checked]
    lines = [f"not checked: {rule.what} ({rule.because})" for stage, rule in waiting if not stage]
    for _, words in reversed(_STAGES):
        count = sum(stage == words for stage, _ in waiting)
        if count:
            lines.append(f"not checked: {count} {'rule needs' if count == 1 else 'rules need'} {words}")
    return lines


def _stage(rule: RuleNotChecked) -> str:
    """Return what a rule waits for, when it is not something that the launch could have said."""
    for prefix, words in _STAGES:
        if any(name.startswith(prefix) for name in rule.facts):
            return words
    return ""

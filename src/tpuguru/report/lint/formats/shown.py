"""Which findings people see, in which order, and the words that the formats share."""

from tpuguru.report.contracts.findings import LintFindingRecord, LintReport, SummaryRecord

_RANK = {"critical": 0, "warn": 1, "info": 2}
_STAGES = {
    "compiled": "the compiled program (tpuguru check)",
    "rehearsed": "a rehearsal (tpuguru rehearse)",
    "observed": "a log or a profile of the run (tpuguru diagnose)",
}


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
    """Return a finding in one line: its title, and what is particular to this launch."""
    return f"{finding.title}: {finding.message}" if finding.message else finding.title


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
    said = [rule for rule in report.not_checked if rule.stage == "said"]
    lines = [f"not checked: {rule.what} ({rule.because})" for rule in said]
    for stage, words in _STAGES.items():
        count = sum(rule.stage == stage for rule in report.not_checked)
        if count:
            lines.append(f"not checked: {count} {'rule needs' if count == 1 else 'rules need'} {words}")
    return lines

"""Judge facts by the rules, with the suppressions and reasons that the launch's comments give."""

from collections.abc import Iterable
from dataclasses import dataclass

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding, Severity, Verdict
from tpuguru.launch.model import Launch


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules said, and the ones that could not tell with what they need."""

    findings: tuple[Finding, ...]
    cannot_tell: tuple[tuple[str, tuple[str, ...]], ...]


def judge_facts(launch: Launch, facts: Facts, extra: Iterable[Finding] = ()) -> Judged:
    """Return the findings of the rules, and ``extra`` ones of the framework, critical first.

    UsageError when a rule file is broken.
    """
    from tpuguru.report.lint.judge import judge  # noqa: PLC0415 - the rules are read only when they are needed
    from tpuguru.rules.catalog import load_catalog  # noqa: PLC0415

    judgement = judge(launch, facts, load_catalog(), extra=extra)
    unsettled = tuple((outcome.rule.name, tuple(outcome.needs)) for outcome in judgement.not_checked)
    order = list(Severity)
    findings = sorted(judgement.findings, key=lambda finding: order.index(finding.severity))
    return Judged(tuple(findings), unsettled)


def counting(findings: Iterable[Finding], severity: Severity) -> tuple[Finding, ...]:
    """Return the findings of a severity that apply and that nothing suppresses."""
    return tuple(
        finding
        for finding in findings
        if finding.severity is severity and finding.verdict is Verdict.APPLIES and not finding.suppressed_by
    )

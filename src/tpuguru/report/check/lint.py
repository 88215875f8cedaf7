"""Judge facts by the rules, with the suppressions and reasons that the launch's comments give."""

from collections.abc import Iterable
from dataclasses import dataclass

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding, Severity, Verdict
from tpuguru.launch.model import Launch
from tpuguru.report.lint.judge import judge
from tpuguru.report.lint.run import catalog_for, settings_for
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules said, and the ones that could not tell with what they need."""

    findings: tuple[Finding, ...]
    cannot_tell: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Judge:
    """The rules and the lint settings in force for a paste, read once.

    A rule file that somebody edits meanwhile must not cost the answer of a long compile.
    """

    catalog: Catalog
    settings: LintSettings


def judge_for(path: str) -> Judge:
    """Return the judge for a paste. UsageError when a rule or a settings file is broken."""
    return Judge(catalog_for([path]), settings_for([path]))


def judge_facts(judging: Judge, launch: Launch, facts: Facts, extra: Iterable[Finding] = ()) -> Judged:
    """Return the findings of the rules, and ``extra`` ones of the framework, critical first."""
    judgement = judge(launch, facts, judging.catalog, judging.settings, extra)
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

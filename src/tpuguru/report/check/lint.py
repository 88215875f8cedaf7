"""Judge facts by the rules, with the suppressions and reasons that the launch's comments give."""

from dataclasses import dataclass

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.launch.model import Launch


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules said, and the ones that could not tell with what they need."""

    findings: tuple[Finding, ...]
    cannot_tell: tuple[tuple[str, str], ...]


def judge_facts(launch: Launch, facts: Facts) -> Judged:
    """Return the findings of the rule catalog. UsageError when a rule file is broken."""
    from tpuguru.report.lint.run import judge  # noqa: PLC0415
    from tpuguru.rules.catalog import load_catalog  # noqa: PLC0415

    judgement = judge(launch, facts, load_catalog())
    unsettled = tuple(
        (outcome.rule.name, f"needs {', '.join(outcome.needs)}") for outcome in judgement.not_checked
    )
    return Judged(judgement.findings, unsettled)

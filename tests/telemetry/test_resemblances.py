"""Resemblances to known causes: found in other words, and silent where a run is well."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tpuguru.facts.finding import Severity
from tpuguru.knowledge import open_knowledge
from tpuguru.report.diagnosis.build import Diagnosed, diagnose_scan
from tpuguru.telemetry.scan import scan

REPORTS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "resemblances.toml").read_text(encoding="utf-8")
)


def diagnose_text(text: str) -> Diagnosed:
    return diagnose_scan(scan([text.encode()]), "report.txt")


def found(report: dict[str, Any]) -> bool:
    """Return whether an expected claim, or a rule from the same source, is among the first three findings."""
    wanted = tuple(report["expect"])
    urls = {
        source.url
        for claim in open_knowledge().claims()
        if claim.id.startswith(wanted)
        for source in claim.sources
    }
    return any(
        finding.name.startswith(wanted) or urls & {source.url for source in finding.sources}
        for finding in diagnose_text(report["input"]).findings[:3]
    )


def test_causes_are_found_in_other_words() -> None:
    """At least nine of ten paraphrased reports lead to their cause among the first three findings."""
    missed = [report["input"][:60] for report in REPORTS["paraphrase"] if not found(report)]
    assert len(missed) <= len(REPORTS["paraphrase"]) // 10, missed


@pytest.mark.parametrize("report", REPORTS["well"], ids=lambda report: str(report["input"][:30]))
def test_nothing_is_warned_about_where_a_run_is_well(report: dict[str, Any]) -> None:
    """A log without a complaint, or a question about something normal, gets no warning."""
    findings = diagnose_text(report["input"]).findings
    assert all(finding.severity is Severity.INFO for finding in findings)


def test_a_specific_rule_stands_alone() -> None:
    """What a rule proves is not followed by guesses."""
    findings = diagnose_text(
        "open(/dev/vfio/0): Device or resource busy; retries on the same VM fail"
    ).findings
    assert [finding.name for finding in findings] == ["chip-held-by-earlier-process"]

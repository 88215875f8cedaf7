"""Field reports: the right cause is among the first three findings, as serious as it was."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tpuguru.report.diagnosis.build import Diagnosed, diagnose_scan
from tpuguru.telemetry.scan import scan

REPORTS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "field_reports.toml").read_text(encoding="utf-8")
)["report"]
SEVERITIES = {
    "blocker": {"critical"},
    "wrong-result": {"critical"},
    "perf": {"warn"},
    "caution": {"warn", "info"},
    "ok": {"info"},
}


def diagnose_text(text: str) -> Diagnosed:
    return diagnose_scan(scan([text.encode()]), "report.txt")


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: str(report["id"]))
def test_the_cause_is_among_the_first_three(report: dict[str, Any]) -> None:
    """A person reads three findings; the cause must be one of them, in its class of severity."""
    first = diagnose_text(report["input"]).report.findings[:3]
    named = {finding.name: finding.severity for finding in first}
    assert report["expect"] in named, f"found {list(named)}"
    assert named[report["expect"]] in SEVERITIES[report["impact"]]


@pytest.mark.parametrize(
    "report", [report for report in REPORTS if report["impact"] == "ok"], ids=lambda report: str(report["id"])
)
def test_nothing_is_warned_about_where_nothing_is_wrong(report: dict[str, Any]) -> None:
    """A tool that cries wolf is not read twice."""
    assert all(finding.severity == "info" for finding in diagnose_text(report["input"]).report.findings)

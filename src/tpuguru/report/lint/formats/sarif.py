"""SARIF 2.1.0, for GitHub code scanning and other readers; valid when empty and when the run failed.

Structure: OASIS, «Static Analysis Results Interchange Format (SARIF) Version 2.1.0», sections 3.14 to 3.58.
"""

import json
from pathlib import Path, PurePath
from urllib.parse import quote

from tpuguru.report.contracts.common import LocationRecord
from tpuguru.report.contracts.findings import (
    ErrorRecord,
    LintFindingRecord,
    LintReport,
    RuleNotChecked,
    SuppressionRecord,
)
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.formats.shown import headline
from tpuguru.report.lint.outputs import View

_LEVELS = {"critical": "error", "warn": "warning", "info": "note"}
_PRECISION = {"mechanism": "very-high", "pattern": "high", "number": "medium"}
_FINGERPRINT = "tpuguru/v1"

type Json = dict[str, object]


def render(report: LintReport, _excerpts: Excerpts, _view: View) -> str:
    """Return the report as SARIF. Suppressed findings are marked, not left out (3.27.23)."""
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [_run(report)],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _run(report: LintReport) -> Json:
    rules = {finding.id: finding for finding in report.findings}
    order = {identifier: index for index, identifier in enumerate(sorted(rules))}
    return {
        "tool": {
            "driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": [_rule(rules[identifier]) for identifier in order],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "artifacts": [{"location": _artifact(paste.path)} for paste in report.inputs],
        "results": [_result(finding, order[finding.id], report) for finding in report.findings],
    }


def _rule(finding: LintFindingRecord) -> Json:
    rule: Json = {
        "id": finding.id,
        "name": finding.name,
        "shortDescription": {"text": finding.title},
        "help": {
            "text": f"tpuguru explain {finding.name}",
            "markdown": f"**Skip when:** {finding.skip_when}\n\n`tpuguru explain {finding.name}`",
        },
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": {"precision": _PRECISION[finding.level], "tags": [finding.category]},
    }
    if finding.sources:
        rule["helpUri"] = finding.sources[0].url
    return rule


def _invocation(report: LintReport) -> Json:
    invocation: Json = {
        "executionSuccessful": not report.errors,
        "toolExecutionNotifications": [
            *(_error_notification(error) for error in report.errors),
            *(_not_checked_notification(rule) for rule in report.not_checked),
        ],
    }
    if report.errors:
        invocation["exitCode"] = report.errors[0].exit_code
    return invocation


def _error_notification(error: ErrorRecord) -> Json:
    text = f"{error.message}. {error.help}" if error.help else error.message
    notification: Json = {"level": "error", "message": {"text": text}}
    if error.location:
        notification["locations"] = [{"physicalLocation": _physical(error.location)}]
    return notification


def _not_checked_notification(rule: RuleNotChecked) -> Json:
    return {
        "level": "note",
        "message": {"text": f"not checked: {rule.what} ({rule.because})"},
        "descriptor": {"id": rule.id},
    }


def _result(finding: LintFindingRecord, index: int, report: LintReport) -> Json:
    borderline = finding.verdict == "borderline"
    result: Json = {
        "ruleId": finding.id,
        "ruleIndex": index,
        "kind": "review" if borderline else "fail",
        # 3.27.10: a result that is not of kind «fail» has the level «none».
        "level": "none" if borderline else _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
        "baselineState": finding.baseline,
        "properties": {"verdict": finding.verdict, "fix": finding.fix, "cost": finding.cost},
    }
    place = finding.location or _launch_place(finding, report)
    if place is not None:
        result["locations"] = [{"physicalLocation": _physical(place)}]
    related = _related(finding)
    if related:
        result["relatedLocations"] = related
    if finding.suppression is not None:
        result["suppressions"] = [_suppression(finding.suppression)]
    fix = _fix(finding)
    if fix is not None:
        result["fixes"] = [fix]
    return result


def _message(finding: LintFindingRecord) -> str:
    sentences = [headline(finding)]
    if finding.fix:
        sentences.append(f"Fix: {finding.fix}")
    return "\n".join(sentences)


def _launch_place(finding: LintFindingRecord, report: LintReport) -> LocationRecord | None:
    """Return where the launch is: a default has no place of its own."""
    return report.launches[finding.launches[0]].location if finding.launches and report.launches else None


def _related(finding: LintFindingRecord) -> list[Json]:
    return [
        {
            "id": number,
            "physicalLocation": _physical(item.location),
            "message": {"text": f"{item.fact} = {item.value}"},
        }
        for number, item in enumerate(finding.evidence)
        if item.location is not None and item.location != finding.location
    ]


def _suppression(suppression: SuppressionRecord) -> Json:
    record: Json = {
        "kind": "inSource" if suppression.kind == "comment" else "external",
        "status": "accepted",
        "justification": suppression.reason,
    }
    if suppression.location:
        record["location"] = {"physicalLocation": _physical(suppression.location)}
    return record


def _fix(finding: LintFindingRecord) -> Json | None:
    place = finding.location
    if not finding.replacement or place is None or place.end_column is None:
        return None
    change = {"deletedRegion": _region(place), "insertedContent": {"text": finding.replacement}}
    return {
        "description": {"text": finding.fix or finding.title},
        "artifactChanges": [{"artifactLocation": _artifact(place.path), "replacements": [change]}],
    }


def _physical(place: LocationRecord) -> Json:
    return {"artifactLocation": _artifact(place.path), "region": _region(place)}


def _region(place: LocationRecord) -> Json:
    region: Json = {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)}
    if place.end_column is not None:
        region["endLine"] = max(place.end_line or place.line, place.line)
        region["endColumn"] = max(place.end_column, 1)
    return region


def _artifact(path: str) -> Json:
    """Return the file's URI relative to the working directory, as code scanning wants it."""
    pure = PurePath(path)
    if not pure.is_absolute():
        return {"uri": quote(pure.as_posix())}
    try:
        return {"uri": quote(pure.relative_to(Path.cwd()).as_posix())}
    except ValueError:
        return {"uri": pure.as_uri()}

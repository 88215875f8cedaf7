"""From a paste to findings: observe, apply the rules, then look for claims of the same kind."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding, Severity, Verdict
from tpuguru.knowledge import open_knowledge
from tpuguru.knowledge.search import Hit
from tpuguru.report.contracts.common import (
    FindingRecord,
    NotChecked,
    finding_record,
    source_record,
    tool_record,
)
from tpuguru.report.contracts.diagnosis import (
    ClaimRecord,
    Diagnosis,
    PasteRecord,
    RouteRecord,
)
from tpuguru.report.diagnosis.figures import figure_findings
from tpuguru.report.diagnosis.observed import observed_records
from tpuguru.report.diagnosis.profile import is_profile, read_profile
from tpuguru.report.diagnosis.said import said_facts
from tpuguru.report.diagnosis.similar import SimilarCause, similar_causes
from tpuguru.rules.catalog import find_project, load_catalog
from tpuguru.rules.engine import Evaluation, evaluate
from tpuguru.rules.files import rule_page
from tpuguru.telemetry.facts import observed_facts
from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.scan import Scan, scan
from tpuguru.telemetry.source import chunks, open_paste

SCHEMA = "tpuguru/diagnosis/v1"
_RANK = {Severity.CRITICAL: 0, Severity.WARN: 1, Severity.INFO: 2}
_SEARCHED = 16
_SHOWN_CLAIMS = 5
_SPECIFIC = 40  # rules up to this order name a cause; later ones a general symptom


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """The report, and the findings it was made from."""

    report: Diagnosis
    findings: tuple[Finding, ...]


def diagnose(path: str) -> Diagnosed:
    """Read a paste and say what it shows.

    UsageError when it cannot be read or a rule is broken, NothingToCheckError when it is empty.
    """
    if is_profile(path):
        return _diagnosed(read_profile(path), PasteRecord(path, Path(path).stat().st_size, 0, ("xprof",)), "")
    with open_paste(path) as file:
        seen = scan(chunks(file, path))
    return diagnose_scan(seen, path)


def diagnose_scan(seen: Scan, path: str) -> Diagnosed:
    """Diagnose a paste that was read already."""
    formats = tuple(seen.observation.formats)
    read = PasteRecord(path, seen.bytes, seen.lines, formats, seen.excerpt.left_out)
    text = seen.excerpt.text()
    facts = observed_facts(seen, path)
    said = said_facts(text, path)
    if said is not None:
        facts.update(said)
    return _diagnosed(facts, read, text, seen.observation)


def _diagnosed(facts: Facts, read: PasteRecord, text: str, seen: Observation | None = None) -> Diagnosed:
    evaluation = evaluate(load_catalog(find_project(Path.cwd())), facts)
    knowledge = open_knowledge()
    figures = figure_findings(knowledge, facts, seen, text, read.path) if seen else ()
    certain = (*(_with_why(finding, evaluation) for finding in evaluation.findings), *figures)
    words = text or " ".join(finding.title for finding in certain)
    hits = knowledge.search(words, limit=_SEARCHED) if words else []
    similar: tuple[SimilarCause, ...] = ()
    if not _explained(evaluation):
        similar = similar_causes(hits, read.path, certain, words, log=bool(read.formats))
    findings = ranked(certain, similar)
    route = knowledge.route(words) if words else None
    report = Diagnosis(
        schema=SCHEMA,
        tool=tool_record(),
        input=read,
        findings=tuple(finding_record(finding) for finding in findings),
        observed=tuple(observed_records(facts)),
        route=RouteRecord(route.playbook, route.pages, route.why, route.alternatives) if route else None,
        claims=tuple(_claim(hit) for hit in hits[:_SHOWN_CLAIMS]),
        not_checked=tuple(_not_checked(findings)),
    )
    return Diagnosed(report, findings)


def _with_why(finding: Finding, evaluation: Evaluation) -> Finding:
    """Take the mechanism from the rule's page, unless the finding has a message of its own."""
    outcome = next((each for each in evaluation.outcomes if each.finding is finding), None)
    if finding.message or outcome is None:
        return finding
    return replace(finding, message=rule_page(outcome.rule.path).why.text.strip())


def _explained(evaluation: Evaluation) -> bool:
    """Return whether a specific rule applies: what it proves needs no resemblance beside it."""
    return any(
        outcome.verdict is Verdict.APPLIES and outcome.rule.order <= _SPECIFIC
        for outcome in evaluation.outcomes
    )


def ranked(certain: Iterable[Finding], similar: Iterable[SimilarCause]) -> tuple[Finding, ...]:
    """Order findings: what a rule proves, by severity; then what resembles a known cause, best first."""
    proved = sorted(
        certain, key=lambda finding: (finding.verdict is not Verdict.APPLIES, _RANK[finding.severity])
    )
    return (*proved, *(cause.finding for cause in similar))


def _claim(hit: Hit) -> ClaimRecord:
    claim = hit.claim
    sources = tuple(source_record(source) for source in claim.sources)
    return ClaimRecord(claim.id, claim.title, claim.level.value, claim.text, round(hit.coverage, 3), sources)


def _not_checked(findings: tuple[Finding, ...]) -> Iterable[NotChecked]:
    if not findings:
        yield NotChecked(
            "the cause", "no rule applies and no claim is near: follow the playbook, then tpuguru propose"
        )


__all__ = ["Diagnosed", "FindingRecord", "diagnose", "diagnose_scan", "ranked"]

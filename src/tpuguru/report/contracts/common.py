"""Parts that several contracts share; apart from the internals, since a contract outlives a refactoring."""

import msgspec

from tpuguru import __version__
from tpuguru.base.location import Location
from tpuguru.base.redaction import redact, redact_value
from tpuguru.facts.finding import Evidence, Finding, Source


class ToolRecord(msgspec.Struct, frozen=True):
    """Who wrote the report."""

    name: str
    version: str


class LocationRecord(msgspec.Struct, frozen=True):
    """A span in a pasted text. Lines and columns count from 1; the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None


class EvidenceRecord(msgspec.Struct, frozen=True):
    """A fact that a finding rests on: its value as text, and where the value came from."""

    fact: str
    value: str
    origin: str
    location: LocationRecord | None = None


class SourceRecord(msgspec.Struct, frozen=True):
    """Where the knowledge comes from."""

    title: str
    url: str
    date: str = ""


class FindingRecord(msgspec.Struct, frozen=True):
    """One statement of a report."""

    id: str
    name: str
    title: str
    severity: str
    level: str
    category: str
    verdict: str
    message: str = ""
    setting: str = ""
    cost: str = ""
    fix: str = ""
    skip_when: str = ""
    location: LocationRecord | None = None
    evidence: tuple[EvidenceRecord, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    suppressed_by: str = ""


class Figure(msgspec.Struct, frozen=True):
    """A number that can be traced: unit, origin, and how far it holds (mechanism, pattern, number)."""

    value: float
    unit: str
    origin: str
    level: str = "number"


class NotChecked(msgspec.Struct, frozen=True):
    """Something that the report does not cover, and why."""

    what: str
    because: str


def tool_record() -> ToolRecord:
    """Return this program's own record."""
    return ToolRecord("tpuguru", __version__)


def location_record(location: Location | None) -> LocationRecord | None:
    """Convert a location."""
    if location is None:
        return None
    return LocationRecord(
        location.path, location.line, location.column, location.end_line, location.end_column
    )


def finding_record(finding: Finding) -> FindingRecord:
    """Convert a finding; whatever came from the paste is redacted."""
    return FindingRecord(
        id=finding.id,
        name=finding.name,
        title=redact(finding.title),
        severity=finding.severity.value,
        level=finding.level.value,
        category=finding.category.value,
        verdict=finding.verdict.value,
        message=redact(finding.message),
        setting=redact(finding.setting),
        cost=redact(finding.cost),
        fix=redact(finding.fix),
        skip_when=finding.skip_when,
        location=location_record(finding.location),
        evidence=tuple(_evidence_record(evidence) for evidence in finding.evidence),
        sources=tuple(source_record(source) for source in finding.sources),
        suppressed_by=redact(finding.suppressed_by),
    )


def _evidence_record(evidence: Evidence) -> EvidenceRecord:
    value = redact_value(evidence.fact.rpartition(".")[2], evidence.value)
    place = location_record(evidence.origin.location)
    return EvidenceRecord(evidence.fact, value, redact(str(evidence.origin)), place)


def source_record(source: Source) -> SourceRecord:
    """Convert a source."""
    return SourceRecord(source.title, source.url, source.date)

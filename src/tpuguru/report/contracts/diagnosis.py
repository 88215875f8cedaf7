"""Contract ``diagnosis/v1``: what ``tpuguru diagnose`` says about a log, an error, a profile or a claim."""

import msgspec

from tpuguru.report.contracts.common import FindingRecord, NotChecked, SourceRecord, ToolRecord


class PasteRecord(msgspec.Struct, frozen=True):
    """What was read: size in bytes, lines, the formats recognised, and lines left out of the excerpt."""

    path: str
    bytes: int
    lines: int
    formats: tuple[str, ...] = ()
    repeated_lines_left_out: int = 0


class ObservedRecord(msgspec.Struct, frozen=True):
    """One observed fact: its name, value as text with unit, and the line of the paste it was read from."""

    fact: str
    value: str
    line: int | None = None


class RouteRecord(msgspec.Struct, frozen=True):
    """Which playbook to follow, which pages to read, and what led there."""

    playbook: str
    pages: tuple[str, ...] = ()
    why: str = ""
    alternatives: tuple[str, ...] = ()


class ClaimRecord(msgspec.Struct, frozen=True):
    """A claim near to what was pasted; ``coverage`` is 0..1 of the paste's telling words."""

    id: str
    title: str
    level: str
    text: str
    coverage: float
    sources: tuple[SourceRecord, ...] = ()


class Diagnosis(msgspec.Struct, frozen=True):
    """The report. Findings come first; claims are what the knowledge base holds nearby."""

    schema: str
    tool: ToolRecord
    input: PasteRecord
    findings: tuple[FindingRecord, ...]
    observed: tuple[ObservedRecord, ...] = ()
    route: RouteRecord | None = None
    claims: tuple[ClaimRecord, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()


CONTRACT = ("diagnosis.v1", Diagnosis)

"""Contract ``answer/v1``: what ``tpuguru ask`` says: claims quoted as written, never a sentence made up."""

import msgspec

from tpuguru.report.contracts.common import LocationRecord, SourceRecord, ToolRecord


class QuotedClaim(msgspec.Struct, frozen=True):
    """A claim as it stands in the knowledge base. ``coverage`` is the share of the question it holds."""

    id: str
    title: str
    level: str
    text: str
    page: str
    location: LocationRecord
    scope: tuple[str, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    conditions: str = ""
    measured: str = ""
    impact: str = ""
    remedy: str = ""
    superseded_by: str = ""
    coverage: float | None = None
    matched: tuple[str, ...] = ()


class PlaybookRecord(msgspec.Struct, frozen=True):
    """The playbook to follow, pages to read in order, and the words that led there."""

    name: str
    pages: tuple[str, ...]
    why: str
    alternatives: tuple[str, ...] = ()


class PageRecord(msgspec.Struct, frozen=True):
    """A page of the knowledge base."""

    id: str
    title: str
    summary: str


class SliceAnswer(msgspec.Struct, frozen=True):
    """A TPU slice that the question names, from the hardware files. ``counts``: what its number counts."""

    name: str
    text: str
    chip: str
    counts: str
    slices: int
    chips: int
    devices: int
    cores: int
    hosts: int
    memory_bytes: int
    topology: str


class AnswerReport(msgspec.Struct, frozen=True):
    """The answer. When ``covered`` is false ``claims`` is empty and ``nearest`` names pages to look at."""

    schema: str
    tool: ToolRecord
    question: str
    language: str
    covered: bool
    claims: tuple[QuotedClaim, ...]
    playbook: PlaybookRecord
    not_covered: tuple[str, ...] = ()
    nearest: tuple[PageRecord, ...] = ()
    slices: tuple[SliceAnswer, ...] = ()


class ClaimList(msgspec.Struct, frozen=True):
    """Claims found by ``tpuguru kb search`` or shown by ``tpuguru kb show``."""

    schema: str
    tool: ToolRecord
    query: str
    claims: tuple[QuotedClaim, ...]


CONTRACT = ("answer.v1", AnswerReport)

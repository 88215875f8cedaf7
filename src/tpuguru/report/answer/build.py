"""From the knowledge base's objects to the records of the contracts ``answer/v1`` and ``claims/v1``."""

from collections.abc import Iterable

from tpuguru.base.location import Location
from tpuguru.base.redaction import redact
from tpuguru.hardware.names import slices_in
from tpuguru.hardware.slices import Slice
from tpuguru.knowledge.answer import Answer
from tpuguru.knowledge.claim import Claim
from tpuguru.knowledge.routes import Route
from tpuguru.knowledge.search import Hit
from tpuguru.report.contracts.answer import (
    AnswerReport,
    ClaimList,
    PageRecord,
    PlaybookRecord,
    QuotedClaim,
    SliceAnswer,
)
from tpuguru.report.contracts.common import LocationRecord, source_record, tool_record

ANSWER_SCHEMA = "tpuguru/answer/v1"
CLAIMS_SCHEMA = "tpuguru/claims/v1"
_MOST_SLICES = 3


def answer_report(answer: Answer) -> AnswerReport:
    """Return the report of an answer."""
    return AnswerReport(
        schema=ANSWER_SCHEMA,
        tool=tool_record(),
        question=answer.question,
        language=answer.language,
        covered=answer.covered,
        claims=tuple(quoted_claim(hit.claim, hit) for hit in answer.hits),
        playbook=playbook_record(answer.route),
        not_covered=answer.not_covered,
        nearest=tuple(PageRecord(page.id, page.title, page.summary) for page in answer.nearest),
        slices=tuple(map(_slice, slices_in(answer.question)[:_MOST_SLICES])),
    )


def claim_list(query: str, hits: Iterable[Hit]) -> ClaimList:
    """Return the report of a search."""
    claims = tuple(quoted_claim(hit.claim, hit) for hit in hits)
    return ClaimList(CLAIMS_SCHEMA, tool_record(), redact(query), claims)


def shown_claim(claim: Claim) -> ClaimList:
    """Return the report of one claim asked for by its id."""
    return ClaimList(CLAIMS_SCHEMA, tool_record(), claim.id, (quoted_claim(claim),))


def playbook_record(route: Route) -> PlaybookRecord:
    """Return the record of a route."""
    return PlaybookRecord(route.playbook, route.pages, redact(route.why), route.alternatives)


def quoted_claim(claim: Claim, hit: Hit | None = None) -> QuotedClaim:
    """Return a claim as written, with how well it matched when it was searched for."""
    return QuotedClaim(
        id=claim.id,
        title=claim.title,
        level=claim.level.value,
        text=claim.text,
        page=claim.page,
        location=_location(claim.location),
        scope=claim.scope,
        sources=tuple(source_record(source) for source in claim.sources),
        conditions=claim.conditions,
        measured=claim.measured,
        impact=claim.impact,
        remedy=claim.remedy,
        superseded_by=claim.superseded_by,
        coverage=round(hit.coverage, 3) if hit else None,
        matched=tuple(redact(word) for word in hit.matched) if hit else (),
    )


def _slice(named: Slice) -> SliceAnswer:
    return SliceAnswer(
        name=named.name,
        text=named.text,
        chip=named.chip.title,
        counts=named.counts,
        slices=named.slices,
        chips=named.chips,
        devices=named.devices,
        cores=named.cores,
        hosts=named.hosts,
        memory_bytes=named.chip.hbm_per_device * named.devices,
        topology=named.topology_text,
    )


def _location(location: Location) -> LocationRecord:
    return LocationRecord(location.path, location.line, location.column)

"""Claims of the knowledge base that resemble a paste, as findings that say so.

A rule proves; a resemblance only points. So these findings are marked borderline, name the words that
matched, and never outrank a rule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tpuguru.base.location import Location
from tpuguru.facts.finding import Category, Finding, Severity, Verdict
from tpuguru.knowledge.search import Hit

# What an impact costs, in the words of findings; «ok» explains what only looks wrong.
SEVERITY = {
    "blocker": Severity.CRITICAL,
    "wrong-result": Severity.CRITICAL,
    "perf": Severity.WARN,
    "caution": Severity.WARN,
    "ok": Severity.INFO,
}
CATEGORY = {
    "blocker": Category.LAUNCH,
    "wrong-result": Category.NUMERICS,
    "perf": Category.PERFORMANCE,
    "caution": Category.HYGIENE,
    "ok": Category.HYGIENE,
}
LEAST_COVERAGE = 0.18
LEAST_SHARE_OF_BEST = 0.6
_MOST = 3


@dataclass(frozen=True, slots=True)
class SimilarCause:
    """A claim near the paste, as a finding."""

    finding: Finding
    score: float


def similar_causes(hits: Sequence[Hit], path: str, certain: Iterable[Finding]) -> tuple[SimilarCause, ...]:
    """Return up to three causes that resemble the paste, best first; none that a rule has stated already."""
    stated = {source.url for finding in certain for source in finding.sources}
    known = [hit for hit in hits if hit.claim.impact]
    causes = [hit for hit in known if not _stated(hit, stated)]
    if not causes or causes[0].coverage < LEAST_COVERAGE:
        return ()
    best = known[0].score  # a cause that a rule states already explains the paste: others must come near it
    near = [
        hit for hit in causes if hit.score >= LEAST_SHARE_OF_BEST * best and hit.coverage >= LEAST_COVERAGE
    ]
    return tuple(SimilarCause(_finding(hit, path), hit.score) for hit in near[:_MOST])


def _stated(hit: Hit, urls: set[str]) -> bool:
    return any(source.url in urls for source in hit.claim.sources)


def _finding(hit: Hit, path: str) -> Finding:
    claim = hit.claim
    matched = ", ".join(hit.matched[:8])
    return Finding(
        id=claim.id,
        name=claim.id,
        title=claim.title,
        severity=SEVERITY[claim.impact],
        level=claim.level,
        category=CATEGORY[claim.impact],
        verdict=Verdict.BORDERLINE,
        message=f"{claim.text}\n(Resembles what was pasted: {matched}.)",
        fix=claim.remedy,
        location=Location(path, 1),
        sources=claim.sources,
    )

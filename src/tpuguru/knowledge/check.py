"""`tpuguru kb check`: what must hold of the pages before anyone relies on them."""

from dataclasses import dataclass

from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Level
from tpuguru.knowledge.base import KnowledgeBase
from tpuguru.knowledge.baselines import FigureStatus
from tpuguru.knowledge.claim import Claim

_PLAYBOOK_PARTS = ("## Steps", "Evidence:", "## Stop when")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that must be mended, with its place."""

    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found. ``stale`` are numbers last confirmed before their page was last reviewed."""

    problems: tuple[Problem, ...]
    stale: tuple[Claim, ...]
    claims: int
    pages: int
    figures: int


def check_knowledge(base: KnowledgeBase) -> CheckReport:
    """Check ids, citations, supersession, routes, playbooks and figures; malformed pages raise earlier."""
    claims = base.claims()
    by_id = {claim.id: claim for claim in claims}
    problems = [
        *_dangling(base, by_id),
        *_superseded_citations(base, by_id),
        *_supersession_loops(by_id),
        *_route_problems(base),
        *_topic_problems(base, claims),
        *_playbook_problems(base),
        *_figure_problems(base),
    ]
    reviewed = {page.id: page.reviewed for page in base.pages}
    stale = [claim for claim in claims if claim.level is Level.NUMBER and claim.date < reviewed[claim.page]]
    return CheckReport(tuple(problems), tuple(stale), len(claims), len(base.pages), len(base.baselines))


def _dangling(base: KnowledgeBase, by_id: dict[str, Claim]) -> list[Problem]:
    named = [
        *((name, claim.location) for claim in by_id.values() for name in (*claim.see, *claim.supersedes)),
        *base.citations,
    ]
    return [
        Problem(f"there is no claim {name!r}{_hint(name, by_id)}", location)
        for name, location in named
        if name not in by_id
    ]


def _hint(name: str, by_id: dict[str, Claim]) -> str:
    near = did_you_mean(name, by_id, limit=1)
    return f"; did you mean {near[0]}?" if near else ""


def _superseded_citations(base: KnowledgeBase, by_id: dict[str, Claim]) -> list[Problem]:
    """Return citations of superseded claims; only the successor may name them."""
    old = {claim.id: claim for claim in by_id.values() if claim.superseded_by}
    cited = [
        *((name, claim.location) for claim in by_id.values() for name in claim.see),
        *base.citations,
    ]
    return [
        Problem(f"cites {name}, which {old[name].superseded_by} supersedes", location)
        for name, location in cited
        if name in old
    ]


def _supersession_loops(by_id: dict[str, Claim]) -> list[Problem]:
    problems = []
    for claim in by_id.values():
        seen = {claim.id}
        current = claim
        while current.superseded_by and current.superseded_by in by_id:
            current = by_id[current.superseded_by]
            if current.id in seen:
                problems.append(Problem(f"{claim.id} supersedes itself in a circle", claim.location))
                break
            seen.add(current.id)
    return problems


def _route_problems(base: KnowledgeBase) -> list[Problem]:
    pages = {page.id for page in base.pages}
    table = Location("playbooks/routes.toml", 1)
    playbooks = {path.stem for path in base.playbooks.glob("*.md")}
    named_playbooks = {*(row.playbook for row in base.routes.rows), *base.routes.topic_playbooks.values()}
    named_pages = {*(page for row in base.routes.rows for page in row.pages)}
    return [
        *(Problem(f"there is no playbook {name!r}", table) for name in sorted(named_playbooks - playbooks)),
        *(Problem(f"there is no page {name!r}", table) for name in sorted(named_pages - pages)),
    ]


def _topic_problems(base: KnowledgeBase, claims: list[Claim]) -> list[Problem]:
    """Return claims whose id starts with a word that leads to no playbook."""
    known = base.routes.topic_playbooks
    return [
        Problem(f"the topic {claim.topic!r} of {claim.id} has no playbook in routes.toml", claim.location)
        for claim in claims
        if claim.topic not in known
    ]


def _playbook_problems(base: KnowledgeBase) -> list[Problem]:
    """Return playbooks that lack a part: what to do, what gives the evidence, when to stop."""
    return [
        Problem(f"the playbook lacks {part!r}", Location(f"{path.parent.name}/{path.name}", 1))
        for path in sorted(base.playbooks.glob("*.md"))
        for part in _PLAYBOOK_PARTS
        if part not in path.read_text(encoding="utf-8")
    ]


def _figure_problems(base: KnowledgeBase) -> list[Problem]:
    problems = []
    seen: set[str] = set()
    for figure in base.baselines:
        if figure.id in seen:
            problems.append(Problem(f"the figure {figure.id} is listed twice", figure.location))
        seen.add(figure.id)
        if not figure.source.startswith("https://"):
            problems.append(Problem(f"the figure {figure.id} has no source link", figure.location))
        if figure.status is FigureStatus.VALID and figure.unit not in ("TFLOP/s", "tok/s", "MFU", "s/step"):
            problems.append(
                Problem(f"the figure {figure.id} has the unknown unit {figure.unit!r}", figure.location)
            )
    return problems

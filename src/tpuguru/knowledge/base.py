"""The knowledge base: one door to claims, search, answers, routes and published figures."""

import sqlite3
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.location import Location
from tpuguru.base.locations import cache_directory, data_directory
from tpuguru.base.redaction import redact
from tpuguru.base.suggest import did_you_mean
from tpuguru.knowledge.answer import Answer, is_covered, language_of, missing_words, quoted
from tpuguru.knowledge.baselines import Baseline, FigureCheck, Peak, check_figure, read_baselines, read_peaks
from tpuguru.knowledge.claim import Claim, Page, Table
from tpuguru.knowledge.glossary import Glossary
from tpuguru.knowledge.index import build_index, open_index, store_index
from tpuguru.knowledge.library import content_hash, read_library, source_files
from tpuguru.knowledge.question import units
from tpuguru.knowledge.routes import UNKNOWN, Route, RouteTable, read_routes
from tpuguru.knowledge.search import Hit, Index

ROUTES = "routes.toml"
_SEARCHED = 12


class KnowledgeBase:
    """Read access to everything in ``knowledge/`` and ``playbooks/``."""

    def __init__(self, connection: sqlite3.Connection, playbooks: Path) -> None:
        self.index = Index(connection)
        self.playbooks = playbooks

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """All pages, without their claims."""
        return msgspec.json.decode(self._part("pages"), type=tuple[Page, ...])

    @cached_property
    def glossary(self) -> Glossary:
        """The bilingual alias glossary."""
        aliases = msgspec.json.decode(self._part("aliases"), type=dict[str, tuple[str, ...]])
        return Glossary(aliases, msgspec.json.decode(self._part("ignored"), type=frozenset[str]))

    @cached_property
    def citations(self) -> tuple[tuple[str, Location], ...]:
        """Every ``[[claim-id]]`` in pages, playbooks and error signatures, with its place."""
        return msgspec.json.decode(self._part("citations"), type=tuple[tuple[str, Location], ...])

    @cached_property
    def routes(self) -> RouteTable:
        """The routing table. Raises UsageError when it is malformed."""
        path = self.playbooks / ROUTES
        if not path.is_file():
            return RouteTable(())
        return read_routes(path.read_text(encoding="utf-8"), f"{path.parent.name}/{path.name}")

    @cached_property
    def baselines(self) -> tuple[Baseline, ...]:
        """The published figures of every table ``figures``."""
        return tuple(baseline for table in self._tables("figures") for baseline in read_baselines(table))

    @cached_property
    def peaks(self) -> tuple[Peak, ...]:
        """The chips' peaks of every table ``peaks``."""
        return tuple(peak for table in self._tables("peaks") for peak in read_peaks(table))

    def claims(self) -> list[Claim]:
        """Return all claims in the order of the pages."""
        return [self.claim(claim_id) for claim_id in self.index.ids()]

    def claim(self, claim_id: str) -> Claim:
        """Return one claim. Raises UsageError with the nearest ids."""
        found = self.index.claim(claim_id)
        if found is None:
            near = did_you_mean(claim_id, self.index.ids())
            raise UsageError(
                f"there is no claim {claim_id!r}",
                help=f"did you mean {' or '.join(near)}?" if near else "tpuguru kb search WORDS finds claims",
            )
        return found

    def has_claim(self, claim_id: str) -> bool:
        """Return whether a claim exists."""
        return self.index.claim(claim_id) is not None

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """Return up to ``limit`` claims for words or a question, best first; empty when nothing matches."""
        return self.index.search(units(query, self.glossary), limit)

    def route(self, text: str) -> Route:
        """Return the playbook and pages for a symptom or a pasted artifact; ``unknown`` when nothing fits."""
        found = self.routes.match(text)
        if found:
            return found
        hits = self.search(text, 1)
        if hits and is_covered(units(text, self.glossary), hits):
            return self.routes.for_claim(hits[0].claim)
        return Route(UNKNOWN, (), "no row of the routing table and no claim fits")

    def playbook_text(self, name: str) -> str:
        """Return a playbook as written. Raises UsageError with the nearest names."""
        path = self.playbooks / f"{name}.md"
        names = sorted(file.stem for file in self.playbooks.glob("*.md"))
        if name not in names:
            near = did_you_mean(name, names)
            raise UsageError(f"there is no playbook {name!r}", help=f"{', '.join(near or names)}")
        return path.read_text(encoding="utf-8")

    def answer(self, question: str, language: str = "auto") -> Answer:
        """Return the extractive answer. Raises NothingToCheckError for an empty question."""
        if not question.strip():
            raise NothingToCheckError("the question is empty", help='tpuguru ask "why is my step slow?"')
        asked = units(question, self.glossary)
        hits = self.index.search(asked, _SEARCHED)
        covered = is_covered(asked, hits)
        shown = quoted(hits) if covered else ()
        return Answer(
            question=redact(question),
            language=language_of(question, language),
            covered=covered,
            hits=shown,
            route=self.route(question),
            not_covered=missing_words(asked, shown),
            nearest=() if covered else self._nearest(hits),
        )

    def check_figure(
        self,
        model: str,
        hardware: str,
        value: float,
        unit: str,
        *,
        per: str = "",
        number_format: str = "bf16",
    ) -> FigureCheck:
        """Compare a quoted figure with the published ones; see baselines.check_figure."""
        quoted_figure = (model, hardware, value, unit)
        return check_figure(self.baselines, self.peaks, quoted_figure, per=per, number_format=number_format)

    def _nearest(self, hits: Sequence[Hit]) -> tuple[Page, ...]:
        scores: dict[str, float] = {}
        for hit in hits:
            scores[hit.claim.page] = scores.get(hit.claim.page, 0.0) + hit.score
        best = sorted(scores, key=lambda page: (-scores[page], page))[:3]
        by_id = {page.id: page for page in self.pages}
        return tuple(by_id[page] for page in best)

    def _tables(self, name: str) -> list[Table]:
        return [table for page in self.pages for table in page.tables if table.name == name]

    def _part(self, name: str) -> bytes:
        row = self.index.connection.execute("select json from parts where name = ?", (name,)).fetchone()
        return bytes(row[0])


def open_knowledge(
    folder: Path | None = None, playbooks: Path | None = None, cache: Path | None = None
) -> KnowledgeBase:
    """Open the knowledge base; an index of the same content is reused, else one is built and kept.

    Raises UsageError with file, line and column when a page is malformed.
    """
    folder = folder or data_directory("knowledge")
    playbooks = playbooks or data_directory("playbooks")
    cache = cache or cache_directory() / "knowledge"
    digest = content_hash(source_files(folder, playbooks))
    connection = open_index(digest, cache)
    if connection is None:
        connection = build_index(read_library(folder, playbooks))
        store_index(connection, digest, cache)
    return KnowledgeBase(connection, playbooks)

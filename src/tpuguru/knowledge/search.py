"""Find claims: candidates by FTS5's bm25, ordered by how much of the question each one covers."""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from tpuguru.facts.finding import Level
from tpuguru.knowledge.claim import Claim
from tpuguru.knowledge.question import Unit
from tpuguru.knowledge.terms import is_number

_CANDIDATES = 60
_MOST_ROWS = 2500  # the rarest terms alone bring candidates once they bring so many: common ones only rank
_COLUMN_WEIGHTS = (3.0, 2.5, 1.0)  # title, keys, body: a title says what the claim is about
# How much a word counts by where it is met first: a title says what a claim is about.
_TITLE_SHARE, _KEYS_SHARE, _BODY_SHARE = 1.0, 0.92, 0.7
_PARTS_SHARE = 0.6
_WORDING_SHARE = 0.15
_BM25_SHARE = 0.25
_SUPERSEDED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A claim found, with its score and the share (0..1) of the question's weight that it holds."""

    claim: Claim
    score: float
    coverage: float
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    row: int
    bm25: float
    title: frozenset[str]
    keys: frozenset[str]
    body: frozenset[str]


class Index:
    """Read access to the stored index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._frequencies: dict[str, int] = {}

    @cached_property
    def size(self) -> int:
        """The number of claims."""
        return int(self.connection.execute("select count(*) from claims").fetchone()[0])

    def weight(self, unit: Unit) -> float:
        """Return a unit's inverse document frequency times its share; a term no claim holds weighs most.

        A number that no claim holds is the user's own reading and weighs nothing.
        """
        frequency = max((self._frequency(term) for term in unit.terms), default=0)
        if not frequency and is_number(unit.terms[0]):
            return 0.0
        return unit.share * math.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5))

    def search(self, units: Sequence[Unit], limit: int) -> list[Hit]:
        """Return up to ``limit`` claims, best first; the order is the same in every run."""
        weights = [self.weight(unit) for unit in units]
        total = sum(weights)
        if not total:
            return []
        asked = self._selective(units, weights)
        scored = [self._score(candidate, units, weights, total) for candidate in self._candidates(asked)]
        scored.sort(key=lambda entry: (-entry[0], entry[2].row))
        hits = [self._hit(*entry) for entry in scored[: 2 * limit]]
        hits.sort(key=lambda hit: (-hit.score, hit.claim.id))
        return hits[:limit]

    def claim(self, claim_id: str) -> Claim | None:
        """Return a claim by its id."""
        row = self.connection.execute("select json from claims where id = ?", (claim_id,)).fetchone()
        return msgspec.json.decode(row[0], type=Claim) if row else None

    def ids(self) -> list[str]:
        """Return all ids."""
        return [row[0] for row in self.connection.execute("select id from claims order by rowid")]

    def _selective(self, units: Sequence[Unit], weights: Sequence[float]) -> list[Unit]:
        """Return the units that bring candidates: the weightiest ones, up to a number of rows to be read."""
        chosen: list[Unit] = []
        rows = 0
        for unit, _ in sorted(zip(units, weights, strict=True), key=lambda entry: -entry[1]):
            if rows and rows + self._rows(unit) > _MOST_ROWS:
                break
            rows += self._rows(unit)
            chosen.append(unit)
        return chosen

    def _rows(self, unit: Unit) -> int:
        return sum(self._frequency(term) for term in (*unit.terms, *unit.wording))

    def _frequency(self, term: str) -> int:
        if term not in self._frequencies:
            row = self.connection.execute("select doc from vocabulary where term = ?", (term,)).fetchone()
            self._frequencies[term] = int(row[0]) if row else 0
        return self._frequencies[term]

    def _candidates(self, units: Sequence[Unit]) -> list[_Candidate]:
        words = list(dict.fromkeys(term for unit in units for term in (*unit.terms, *unit.wording)))
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self.connection.execute(
            "select fts.rowid, bm25(fts, ?, ?, ?) as rank, claims.title, claims.keys, claims.body from fts "
            "join claims on claims.rowid = fts.rowid where fts match ? order by rank, fts.rowid limit ?",
            (*_COLUMN_WEIGHTS, query, _CANDIDATES),
        )
        return [
            _Candidate(row, -rank, *(frozenset(part.split()) for part in parts)) for row, rank, *parts in rows
        ]

    @staticmethod
    def _score(
        candidate: _Candidate, units: Sequence[Unit], weights: Sequence[float], total: float
    ) -> tuple[float, float, _Candidate, tuple[str, ...]]:
        """Return (score, coverage, candidate, matched labels)."""
        score = covered = 0.0
        matched: list[str] = []
        for unit, weight in zip(units, weights, strict=True):
            share = _share(unit, candidate)
            if share:
                matched.append(unit.label)
                score += (share + _wording(unit, candidate)) * weight
                covered += weight * min(1.0, share / _BODY_SHARE)
        return (
            score / total + _BM25_SHARE * candidate.bm25 / total,
            covered / total,
            candidate,
            tuple(matched),
        )

    def _hit(self, score: float, coverage: float, candidate: _Candidate, matched: tuple[str, ...]) -> Hit:
        row = self.connection.execute("select json from claims where rowid = ?", (candidate.row,)).fetchone()
        claim = msgspec.json.decode(row[0], type=Claim)
        superseded = claim.level is Level.NUMBER and claim.superseded_by
        return Hit(claim, score * (_SUPERSEDED_SHARE if superseded else 1.0), coverage, matched)


def _share(unit: Unit, candidate: _Candidate) -> float:
    """Return how well a unit is met: in the title, keys or body, or an identifier only by its parts."""
    first, *parts = unit.terms
    for share, terms in (
        (_TITLE_SHARE, candidate.title),
        (_KEYS_SHARE, candidate.keys),
        (_BODY_SHARE, candidate.body),
    ):
        if first in terms:
            return share
    if not parts:
        return 0.0
    met = sum(
        1
        for part in parts
        if any(part in terms for terms in (candidate.keys, candidate.title, candidate.body))
    )
    return _PARTS_SHARE * met / len(parts)


def _wording(unit: Unit, candidate: _Candidate) -> float:
    """Return the bonus for a claim that uses the words of the question, not only their concept."""
    if not unit.wording:
        return 0.0
    met = sum(1 for term in unit.wording if term in candidate.title or term in candidate.keys)
    return _WORDING_SHARE * met / len(unit.wording)

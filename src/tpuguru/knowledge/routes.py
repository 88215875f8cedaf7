"""Route a symptom in words, or a pasted artifact, to its playbook and pages by a table that experts edit."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.knowledge.claim import Claim
from tpuguru.knowledge.glossary import Glossary
from tpuguru.knowledge.terms import MAXIMUM_CHARACTERS, is_han, tokens

UNKNOWN = "unknown"
_KEYS = ("playbook", "pages", "words", "artifacts", "first", "why")
_ARTIFACT_WEIGHT = 4.0  # what was pasted says more than any word around it
_HAN_CHARACTERS_PER_WORD = 2


@dataclass(frozen=True, slots=True)
class Route:
    """Where to go with a symptom: the playbook, the pages to read in order, and what led there."""

    playbook: str
    pages: tuple[str, ...]
    why: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class RouteRow:
    """One row of the table. ``first`` makes it win over all others whenever it matches."""

    playbook: str
    pages: tuple[str, ...]
    words: tuple[str, ...]
    artifacts: tuple[re.Pattern[str], ...]
    why: str
    first: bool = False

    @cached_property
    def names(self) -> Glossary:
        """The row's words, ready to be found."""
        return Glossary({"route": self.words}) if self.words else Glossary()


@dataclass(frozen=True)
class RouteTable:
    """All rows, and the playbook of each topic (the first word of a claim's id) for what no row matches."""

    rows: tuple[RouteRow, ...]
    topic_playbooks: Mapping[str, str] = field(default_factory=dict)

    def match(self, text: str) -> Route | None:
        """Return the best row's route; None when no row matches. The same text gives the same route."""
        shown = text[:MAXIMUM_CHARACTERS]
        scored = sorted(
            (
                (score, -number, row, reasons)
                for number, row in enumerate(self.rows)
                for score, reasons in [self._score(row, shown)]
                if score > 0
            ),
            key=lambda entry: (not entry[2].first, -entry[0], -entry[1]),
        )
        if not scored:
            return None
        _, _, best, reasons = scored[0]
        others = dict.fromkeys(row.playbook for _, _, row, _ in scored[1:] if row.playbook != best.playbook)
        return Route(best.playbook, best.pages, f"{best.why} ({', '.join(reasons)})", tuple(others)[:3])

    def for_claim(self, claim: Claim) -> Route:
        """Return the route of a question whose nearest claim is ``claim``."""
        playbook = self.topic_playbooks.get(claim.topic, UNKNOWN)
        return Route(playbook, (claim.page,), f"the nearest claim is {claim.id}")

    @staticmethod
    def _score(row: RouteRow, text: str) -> tuple[float, list[str]]:
        """Return the weight of all that matches, and what it was."""
        found = {text[match.start : match.end].lower() for match in row.names.longest_matches(text)}
        score = sum(_length(name) for name in found)
        reasons = [f"«{name}»" for name in sorted(found)]
        for pattern in row.artifacts:
            match = pattern.search(text)
            if match:
                score += _ARTIFACT_WEIGHT
                reasons.append(f"«{' '.join(match.group().split())[:50]}»")
        return score, reasons


def read_routes(text: str, path: str) -> RouteTable:
    """Return the table written in TOML. Raises UsageError that names the row."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"the routing table is not TOML: {error}", location=_toml_location(error, path)
        ) from error
    topics = data.get("topics", {})
    if not isinstance(topics, dict) or not all(isinstance(playbook, str) for playbook in topics.values()):
        raise UsageError("[topics] names a playbook for each topic", location=Location(path, 1))
    entries = data.get("route", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("routes are written as [[route]] tables", location=Location(path, 1))
    starts = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[route]]"]
    rows = [
        _row(entry, Location(path, starts[index] if index < len(starts) else 1))
        for index, entry in enumerate(entries)
    ]
    return RouteTable(tuple(rows), topics)


def _row(entry: dict[str, Any], location: Location) -> RouteRow:
    for key in entry:
        if key not in _KEYS:
            near = did_you_mean(key, _KEYS)
            raise UsageError(
                f"unknown key {key!r} in a route",
                location=location,
                help=f"did you mean {near[0]}?" if near else f"keys: {', '.join(_KEYS)}",
            )
    if not isinstance(entry.get("playbook"), str) or not isinstance(entry.get("why"), str):
        raise UsageError("a route needs a playbook and a why", location=location)
    return RouteRow(
        playbook=entry["playbook"],
        pages=_strings(entry, "pages", location),
        words=_strings(entry, "words", location),
        artifacts=tuple(_compiled(pattern, location) for pattern in _strings(entry, "artifacts", location)),
        why=entry["why"],
        first=bool(entry.get("first", False)),
    )


def _strings(entry: dict[str, Any], key: str, location: Location) -> tuple[str, ...]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{key!r} of a route is a list of strings", location=location)
    return tuple(value)


def _compiled(pattern: str, location: Location) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise UsageError(f"the pattern {pattern!r} is not valid: {error}", location=location) from error


def _toml_location(error: tomllib.TOMLDecodeError, path: str) -> Location:
    match = re.search(r"line (\d+), column (\d+)", str(error))
    return Location(path, int(match.group(1)), int(match.group(2))) if match else Location(path, 1)


def _length(name: str) -> float:
    if is_han(name):
        return len(name) / _HAN_CHARACTERS_PER_WORD
    return float(len(tokens(name)))

"""Read a knowledge page: strict, so that a slip of an expert's pen is an error with its place.

The format::

    ---
    page: 06-memory
    title: Memory
    reviewed: 2026-12-01
    summary: One sentence.
    ---
    Introduction, and link definitions for sources used more than once:
    [mt-pr-1]: https://example.org/pull/1 (2026-05-01)

    ## mem-some-id 🟢 The statement in one line
    scope: jax; tpu v6e
    source: mt-pr-1
    source: https://example.org/issue/2 (read 2026-12-01)
    aliases: words; people; 使用的词

    The text, one or more paragraphs. [[mem-other-id]] cites another claim.

    ### table: figures
    | id | model |
    |---|---|
    | a1 | llama |
"""

import re
from dataclasses import dataclass, field

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Level, Source
from tpuguru.knowledge.claim import IMPACTS, LEVEL_MARKS, Claim, Page, Table
from tpuguru.knowledge.sources import iso_date, read_measured, read_source
from tpuguru.knowledge.tables import make_table

_PAGE_KEYS = ("page", "title", "reviewed", "summary", "aliases")
_CLAIM_KEYS = (
    "scope",
    "source",
    "conditions",
    "measured",
    "confirmed",
    "aliases",
    "symptom",
    "impact",
    "remedy",
    "see",
    "supersedes",
)
_REPEATABLE = ("source",)
_HEADING = "## claim-id 🟢|🟡|🔴 The statement in one line"
MAXIMUM_PAGE_CHARACTERS = 4_000_000


def read_page(text: str, path: str) -> Page:
    """Return the page written in ``text``; ``path`` names it in errors. Raises UsageError at a slip."""
    return _Reader(text, path).page()


def citations(text: str, path: str) -> list[tuple[str, Location]]:
    """Return every ``[[claim-id]]`` in a Markdown text with its place; those in code spans are examples."""
    return [
        (match.group(1), Location(path, number, match.start() + 1))
        for number, line in enumerate(text.splitlines(), start=1)
        for match in re.finditer(r"\[\[([^\[\]]*)\]\]", _without_code(line))
    ]


def _without_code(line: str) -> str:
    return re.sub(r"`[^`]*`", lambda match: " " * len(match.group()), line)


@dataclass(slots=True)
class _Draft:
    """A claim being read."""

    id: str
    title: str
    level: Level
    location: Location
    fields: dict[str, list[tuple[str, Location]]] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str, path: str) -> None:
        if len(text) > MAXIMUM_PAGE_CHARACTERS:
            raise UsageError(
                f"the page holds {len(text):,} characters; at most {MAXIMUM_PAGE_CHARACTERS:,} are read",
                location=Location(path, 1),
                help="split it into several pages",
            )
        self.text = text
        self.lines = text.splitlines()
        self.path = path
        self.position = 0
        self.definitions: dict[str, Source] = {}

    def page(self) -> Page:
        front = self._front_matter()
        claims: list[Claim] = []
        tables: list[Table] = []
        self._introduction()
        while self.position < len(self.lines):
            if self.lines[self.position].startswith("### "):
                tables.append(self._table())
            else:
                claims.append(self._claim(front["page"]))
        return Page(
            id=front["page"],
            title=front["title"],
            reviewed=front["reviewed"],
            summary=front["summary"],
            path=self.path,
            aliases=_split(front.get("aliases", "")),
            claims=tuple(claims),
            tables=tuple(tables),
            citations=tuple(citations(self.text, self.path)),
        )

    def _here(self, column: int = 1) -> Location:
        return Location(self.path, self.position + 1, column)

    def _front_matter(self) -> dict[str, str]:
        if not self.lines or self.lines[0].strip() != "---":
            raise UsageError(
                "the page does not start with its front matter",
                location=self._here(),
                help=f"start with a line --- and the keys {', '.join(_PAGE_KEYS)}",
            )
        self.position = 1
        front: dict[str, str] = {}
        while self.position < len(self.lines) and self.lines[self.position].strip() != "---":
            key, value, location = self._key_value(_PAGE_KEYS)
            if key in front:
                raise UsageError(f"{key!r} is given twice", location=location)
            front[key] = iso_date(value, location) if key == "reviewed" else value
            self.position += 1
        if self.position >= len(self.lines):
            raise UsageError("the front matter is not closed", location=self._here(), help="end it with ---")
        self.position += 1
        missing = [key for key in _PAGE_KEYS[:4] if not front.get(key)]
        if missing:
            raise UsageError(f"the front matter lacks {', '.join(missing)}", location=Location(self.path, 1))
        return front

    def _key_value(self, allowed: tuple[str, ...]) -> tuple[str, str, Location]:
        line = self.lines[self.position]
        key, colon, value = line.partition(":")
        if not colon:
            raise UsageError(
                f"expected «key: value», found {line.strip()[:60]!r}",
                location=self._here(),
                help="a blank line ends the keys and starts the text",
            )
        key = key.strip()
        if key not in allowed:
            near = did_you_mean(key, allowed)
            hint = f"did you mean {' or '.join(near)}?" if near else f"keys: {', '.join(allowed)}"
            raise UsageError(f"unknown key {key!r}", location=self._here(), help=hint)
        if not value.strip():
            raise UsageError(f"{key!r} has no value", location=self._here(len(key) + 2))
        column = len(line) - len(value) + len(value) - len(value.lstrip()) + 1
        return key, value.strip(), self._here(column)

    def _introduction(self) -> None:
        while self.position < len(self.lines) and not self.lines[self.position].startswith(("## ", "### ")):
            line = self.lines[self.position]
            match = re.match(r"\[([\w.-]+)\]:\s+(\S.*)$", line)
            if match:
                if match.group(1) in self.definitions:
                    raise UsageError(f"the source [{match.group(1)}] is defined twice", location=self._here())
                self.definitions[match.group(1)] = self._source(
                    match.group(2).strip(), self._here(match.start(2) + 1)
                )
            self.position += 1

    def _claim(self, page: str) -> Claim:
        draft = self._heading()
        self.position += 1
        while self.position < len(self.lines) and self.lines[self.position].strip():
            key, value, location = self._key_value(_CLAIM_KEYS)
            if key in draft.fields and key not in _REPEATABLE:
                raise UsageError(
                    f"{key!r} is given twice in claim {draft.id}",
                    location=location,
                    help="join several values with «;»",
                )
            draft.fields.setdefault(key, []).append((value, location))
            self.position += 1
        while self.position < len(self.lines) and not self.lines[self.position].startswith(("## ", "### ")):
            draft.body.append(self.lines[self.position])
            self.position += 1
        return self._finish(draft, page)

    def _heading(self) -> _Draft:
        line = self.lines[self.position]
        match = re.match(r"## ([a-z][a-z0-9]*(?:-[a-z0-9]+)+) (\S+) (\S.*)$", line)
        if not match or match.group(2) not in LEVEL_MARKS:
            raise UsageError(
                f"not a claim's heading: {line.strip()[:60]!r}",
                location=self._here(4),
                help=f"write {_HEADING}; the id is lower case with hyphens",
            )
        return _Draft(match.group(1), match.group(3).strip(), LEVEL_MARKS[match.group(2)], self._here(4))

    def _finish(self, draft: _Draft, page: str) -> Claim:
        text = "\n".join(draft.body).strip()
        self._require(draft, text)
        single = {key: values[0][0] for key, values in draft.fields.items() if key != "source"}
        return Claim(
            id=draft.id,
            title=draft.title,
            level=draft.level,
            text=text,
            page=page,
            location=draft.location,
            scope=_split(single.get("scope", "")),
            sources=tuple(self._source(*given) for given in draft.fields["source"]),
            conditions=single.get("conditions", ""),
            measured=single.get("measured", ""),
            confirmed=self._confirmed(draft),
            aliases=_split(single.get("aliases", "")),
            symptoms=_split(single.get("symptom", "")),
            impact=self._impact(draft),
            remedy=single.get("remedy", ""),
            see=_split(single.get("see", "")),
            supersedes=_split(single.get("supersedes", "")),
        )

    @staticmethod
    def _confirmed(draft: _Draft) -> str:
        given = draft.fields.get("confirmed")
        measured = draft.fields.get("measured")
        days = [iso_date(*given[0])] if given else []
        return max([*days, *([read_measured(*measured[0])] if measured else [])], default="")

    @staticmethod
    def _impact(draft: _Draft) -> str:
        given = draft.fields.get("impact")
        if given and given[0][0] not in IMPACTS:
            raise UsageError(
                f"unknown impact {given[0][0]!r}", location=given[0][1], help=f"one of {', '.join(IMPACTS)}"
            )
        return given[0][0] if given else ""

    @staticmethod
    def _require(draft: _Draft, text: str) -> None:
        if "source" not in draft.fields:
            raise UsageError(
                f"claim {draft.id} has no source",
                location=draft.location,
                help="add a line «source: https://… (2026-12-01)»",
            )
        if not text:
            raise UsageError(f"claim {draft.id} has no text", location=draft.location)
        if "scope" not in draft.fields:
            raise UsageError(
                f"claim {draft.id} has no scope",
                location=draft.location,
                help="say for which versions or chips it holds, e.g. «scope: jax; tpu v6e» or «scope: any»",
            )
        if draft.level is Level.NUMBER and "conditions" not in draft.fields:
            raise UsageError(
                f"claim {draft.id} is a number without its conditions",
                location=draft.location,
                help="add «conditions: 64 chips tpu7x, sequence 4096, measured by …»",
            )

    def _source(self, value: str, location: Location) -> Source:
        return self.definitions[value] if value in self.definitions else read_source(value, location)

    def _table(self) -> Table:
        line = self.lines[self.position]
        match = re.match(r"### table: ([a-z][a-z0-9-]*)$", line.rstrip())
        if not match:
            raise UsageError(
                f"not a table's heading: {line.strip()[:60]!r}",
                location=self._here(5),
                help="write ### table: NAME",
            )
        start = self._here(5)
        self.position += 1
        lines: list[tuple[int, list[str]]] = []
        while self.position < len(self.lines) and not self.lines[self.position].startswith(("## ", "### ")):
            row = self.lines[self.position].strip()
            if row.startswith("|"):
                lines.append((self.position + 1, [cell.strip() for cell in row.strip("|").split("|")]))
            self.position += 1
        return make_table(match.group(1), start, lines)


def _split(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"[;；]", value) if part.strip())

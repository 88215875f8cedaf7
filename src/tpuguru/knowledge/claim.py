"""What a knowledge page holds: claims, tables, and where each of them stands."""

from dataclasses import dataclass, field

from tpuguru.base.location import Location
from tpuguru.facts.finding import LEVEL_SIGNS, Level, Source

LEVEL_MARKS: dict[str, Level] = {sign: Level(level) for level, sign in LEVEL_SIGNS.items()}
# What it costs when it happens; «ok» is what looks wrong and is not.
IMPACTS = ("blocker", "wrong-result", "perf", "caution", "ok")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement with its level, scope and sources.

    ``conditions`` says under which circumstances a number was measured (required at level number);
    ``measured`` says what was run to see it, where it was; ``symptoms`` and ``aliases`` are words people
    use for it, in English or Chinese; ``impact`` is one of ``IMPACTS`` and ``remedy`` what to do, for a claim
    that explains a field report; ``see`` and ``supersedes`` name other claims.
    """

    id: str
    title: str
    level: Level
    text: str
    page: str
    location: Location
    scope: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    conditions: str = ""
    measured: str = ""
    confirmed: str = ""
    aliases: tuple[str, ...] = ()
    symptoms: tuple[str, ...] = ()
    impact: str = ""
    remedy: str = ""
    see: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""

    @property
    def topic(self) -> str:
        """What it is about: the first word of its id, such as mem or shard."""
        return self.id.partition("-")[0]

    @property
    def date(self) -> str:
        """The ISO date the statement was last confirmed: ``confirmed``, else the newest source's date."""
        dates = [source.date.removeprefix("read ") for source in self.sources]
        return self.confirmed or max(dates, default="")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, by column name."""

    cells: dict[str, str]
    location: Location


@dataclass(frozen=True, slots=True)
class Table:
    """A named table on a page (``### table: NAME``), for figures a program reads."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Page:
    """One topic: its front matter, claims and tables. ``reviewed`` is when an expert last went through it."""

    id: str
    title: str
    reviewed: str
    summary: str
    path: str
    aliases: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    tables: tuple[Table, ...] = ()
    citations: tuple[tuple[str, Location], ...] = field(default=())

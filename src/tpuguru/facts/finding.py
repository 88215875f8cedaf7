"""A finding: what a rule, a resolver, an error signature or a claim says about a launch or run."""

from dataclasses import dataclass
from enum import StrEnum

from tpuguru.base.location import Location
from tpuguru.facts.origin import Origin


class Severity(StrEnum):
    """How much it costs to ignore the finding."""

    CRITICAL = "critical"
    WARN = "warn"
    INFO = "info"


class Level(StrEnum):
    """How far it holds: 🟢 wherever the mechanism does, 🟡 usually, 🔴 re-measure in your environment."""

    MECHANISM = "mechanism"
    PATTERN = "pattern"
    NUMBER = "number"


# How a level is shown, everywhere.
LEVEL_SIGNS: dict[str, str] = {Level.MECHANISM: "🟢", Level.PATTERN: "🟡", Level.NUMBER: "🔴"}


class Verdict(StrEnum):
    """The three-valued outcome of a rule, and the band in between."""

    APPLIES = "applies"
    BORDERLINE = "borderline"
    NOT_APPLICABLE = "not applicable"
    CANNOT_TELL = "cannot tell"


class Category(StrEnum):
    """What kind of loss the finding is about."""

    MEMORY = "memory"
    PERFORMANCE = "performance"
    SILENT_FAILURE = "silent-failure"
    LAUNCH = "launch"
    NUMERICS = "numerics"
    QUANTISATION = "quantisation"
    HYGIENE = "hygiene"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact that the finding rests on, with the value read and where it came from."""

    fact: str
    value: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Source:
    """Where the knowledge comes from."""

    title: str
    url: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of the report. ``location`` is the primary span; ``evidence`` carries the rest."""

    id: str
    name: str
    title: str
    severity: Severity
    level: Level
    category: Category
    verdict: Verdict = Verdict.APPLIES
    message: str = ""
    setting: str = ""
    cost: str = ""
    fix: str = ""
    skip_when: str = ""
    location: Location | None = None
    evidence: tuple[Evidence, ...] = ()
    sources: tuple[Source, ...] = ()
    suppressed_by: str = ""

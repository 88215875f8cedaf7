"""What the user chose: which rules, which severities, what fails the run, what is accepted already."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Category, Finding, Severity
from tpuguru.rules.catalog import Catalog
from tpuguru.rules.engine import SEVERITY_RANK
from tpuguru.rules.model import Rule


@dataclass(frozen=True, slots=True)
class ConfiguredIgnore:
    """An accepted finding in the configuration: rule, path pattern, why, and until when."""

    rule: str
    reason: str
    path: str = "*"
    until: dt.date | None = None
    location: Location | None = None

    def covers(self, finding: Finding) -> bool:
        """Tell whether it accepts this finding."""
        path = finding.location.path if finding.location else ""
        fits = self.path == "*" or fnmatchcase(path, self.path) or fnmatchcase(path, f"*/{self.path}")
        return fits and self.rule in (finding.name, finding.id) and not self.expired

    @property
    def expired(self) -> bool:
        """Whether the day is past until which it was accepted."""
        return self.until is not None and self.until < dt.datetime.now(tz=dt.UTC).date()


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The settings in force. ``select`` empty means every rule."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_severity: Severity = Severity.INFO
    fail_on: Severity | None = Severity.CRITICAL
    baseline: Path | None = None
    ignores: tuple[ConfiguredIgnore, ...] = ()
    source: str = ""
    output_formats: tuple[str, ...] = field(default=())

    def wants(self, rule: Rule) -> bool:
        """Tell whether the rule is selected and not ignored."""
        selected = not self.select or any(matches(pattern, rule) for pattern in self.select)
        return selected and not any(matches(pattern, rule) for pattern in self.ignore)

    def shows(self, finding: Finding) -> bool:
        """Tell whether the finding is severe enough to be reported."""
        return SEVERITY_RANK[finding.severity] <= SEVERITY_RANK[self.min_severity]

    def fails(self, severity: str) -> bool:
        """Tell whether a finding of this severity makes the run fail."""
        return self.fail_on is not None and SEVERITY_RANK[Severity(severity)] <= SEVERITY_RANK[self.fail_on]


def matches(pattern: str, rule: Rule) -> bool:
    """Tell whether a name, id, start of an id (``R-P``) or category means the rule."""
    return (
        pattern in (rule.name, rule.id, rule.category.value)
        or pattern == "all"
        or (pattern.startswith("R-") and rule.id.startswith(pattern))
    )


def check_patterns(patterns: Iterable[str], catalog: Catalog, what: str) -> None:
    """Refuse a pattern that means no rule. UsageError with the nearest names."""
    for pattern in patterns:
        if pattern == "all" or any(matches(pattern, rule) for rule in catalog.rules):
            continue
        if pattern in [category.value for category in Category]:
            continue
        known = [key for rule in catalog.rules for key in (rule.name, rule.id)]
        near = did_you_mean(pattern, [*known, *(category.value for category in Category)])
        raise UsageError(
            f"{what} names {pattern}, which is no rule, id or category",
            help=f"did you mean {' or '.join(near)}?" if near else "`tpuguru rules` lists them",
        )

"""What comments say to the linter: an ignore with its reason, or a reason for the setting below.

``# tpuguru: ignore[rule-a, rule-b] reason`` on the line of a setting or above it; the reason is mandatory.
Any other comment that gives a reason (``# NOTE(x): …``, or a sentence) lowers the findings on the settings
it covers to info and is quoted.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tpuguru.base.location import Location
from tpuguru.base.redaction import redact
from tpuguru.facts.finding import Finding
from tpuguru.launch.model import Comment

_DIRECTIVE = re.compile(r"tpuguru:\s*ignore\b\s*(?:\[([^\]]*)\])?[\s:,-]*(.*)", re.IGNORECASE | re.DOTALL)
_NOTE = re.compile(r"(?:NOTE|REASON|WHY)\b\s*(?:\([^)]*\))?\s*:?\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_DISABLED_SETTING = re.compile(r"(?:-{1,2}[A-Za-z]|[\w.-]+=|export\s|source\s|\$)")
_OPEN_TASK = re.compile(r"(?:TODO|FIXME|XXX|HACK)\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(because|since|due to|otherwise|needed|required|requires|must|cannot|can't|doesn't|does not|"
    r"not support|unsupported|so that|avoid|for (?:numerical|convergence|stability|performance|better)|"
    r"should be|in order to|known issue|workaround|bug|diverges?|accuracy)\b|因为|由于|避免|否则|必须|为了",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3  # two words such as «avoid OOM» name a wish, not a reason
_MAX_QUOTED = 200


@dataclass(slots=True)
class Directive:
    """An ignore comment. ``used`` collects the rules that it suppressed a finding of."""

    rules: tuple[str, ...]
    reason: str
    location: Location
    covers: tuple[Location, ...]
    used: set[str] = field(default_factory=set)

    def suppresses(self, finding: Finding) -> bool:
        """Tell whether the finding is of a rule it names and stands on a line it covers."""
        named = finding.name in self.rules or finding.id in self.rules
        return named and bool(self.reason) and touches(self.location, self.covers, finding)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A comment that gives a reason for the settings it covers."""

    text: str
    location: Location
    covers: tuple[Location, ...]


def directives(comments: Iterable[Comment]) -> Iterator[Directive]:
    """Yield the ignore comments, also those without a reason or without rules (they suppress nothing)."""
    for comment in comments:
        match = _DIRECTIVE.search(_plain(comment.text))
        if match:
            names = tuple(name.strip() for name in (match[1] or "").split(",") if name.strip())
            yield Directive(names, redact(match[2].strip()), comment.location, comment.covers)


def explanations(comments: Iterable[Comment]) -> Iterator[Explanation]:
    """Yield the comments that give a reason for a setting that is in force.

    A note right above a switched-off setting (``# --eval-size 4``) explains that one, not what follows.
    """
    found = list(comments)
    switched_off = {
        (comment.location.path, comment.location.line)
        for comment in found
        if _DISABLED_SETTING.match(_plain(comment.text))
    }
    for comment in found:
        text = _plain(comment.text)
        below = (comment.location.path, comment.location.line + 1)
        if comment.covers and below not in switched_off and not _DIRECTIVE.search(text) and is_reason(text):
            quoted = redact(" ".join(text.split()))
            yield Explanation(quoted[:_MAX_QUOTED], comment.location, comment.covers)


def is_reason(text: str) -> bool:
    """Tell whether a comment explains: a NOTE, or a sentence with a cause; not a disabled flag."""
    plain = _plain(text)
    if _NOTE.match(plain):
        return True
    if _OPEN_TASK.match(plain) or _DISABLED_SETTING.match(plain):
        return False
    long_enough = len(plain.split()) >= _FEWEST_WORDS or bool(re.search(r"[\u4e00-\u9fff]{4,}", plain))
    return long_enough and bool(_CAUSE.search(plain))


def touches(place: Location, covers: tuple[Location, ...], finding: Finding) -> bool:
    """Tell whether a comment stands on, directly above, or over any setting that the finding rests on."""
    spots = [finding.location, *(evidence.origin.location for evidence in finding.evidence)]
    covered = {(spot.path, spot.line, spot.column) for spot in covers}
    return any(
        spot is not None
        and (
            (spot.path == place.path and spot.line in (place.line, place.line + 1))
            or (spot.path, spot.line, spot.column) in covered
        )
        for spot in spots
    )


def _plain(text: str) -> str:
    return text.strip().lstrip("#").strip()

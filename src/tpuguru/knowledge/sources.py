"""Dates and sources as experts write them, read strictly."""

import re
from datetime import date

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.facts.finding import Source


def iso_date(value: str, location: Location) -> str:
    """Return ``value`` when it is a date such as 2026-12-01; raise UsageError otherwise."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise UsageError(
            f"{value!r} is not a date", location=location, help="write it as 2026-12-01"
        ) from None


def read_source(value: str, location: Location) -> Source:
    """Return the source written as «https://… (2026-12-01) title». Raises UsageError when it is malformed."""
    match = re.match(r"(https?://[^\s()]+(?:\([^\s()]*\)[^\s()]*)*) \((read )?([^()]*)\)(?: (\S.*))?$", value)
    if not match or not re.match(r"https?://[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?:/|$)", match.group(1)):
        raise UsageError(
            f"not a source: {value[:80]!r}",
            location=location,
            help="write «https://… (2026-12-01)», «https://… (read 2026-12-01)» or a name defined above",
        )
    day = iso_date(match.group(3), location)
    return Source(title=match.group(4) or "", url=match.group(1), date=(match.group(2) or "") + day)


def read_measured(value: str, location: Location) -> str:
    """Return the day on which something was measured: it ends the text, in brackets. Raises UsageError."""
    match = re.search(r"\(([^()]*)\)$", value)
    if not match:
        raise UsageError(
            "a measurement does not end with its date",
            location=location,
            help="write «what was run (2026-12-01)»",
        )
    return iso_date(match.group(1), location)

"""Where a setting stands: file, line, and the array of flags around it."""

import re

from tpuguru.base.location import Location
from tpuguru.launch.model import Paste

_ARRAY = re.compile(r"^\s*([A-Za-z_]\w*)\+?=\(")
_FARTHEST = 200  # lines: no array of flags is longer


def place_text(place: Location, paste: Paste) -> str:
    """Return ``run.sh:52, PERF_ARGS``; without an array around it, or in a sourced file, file and line."""
    where = f"{place.path}:{place.line}"
    array = _array_around(paste.text.split("\n"), place.line) if place.path == paste.path else ""
    return f"{where}, {array}" if array else where


def _array_around(lines: list[str], number: int) -> str:
    for line in reversed(lines[max(0, number - _FARTHEST) : number]):
        found = _ARRAY.match(line)
        if found:
            return found[1]
        if line.strip() == ")":
            return ""
    return ""

"""The changes that a rule's Fix proposes, read from its text: Remove `--a --b`, Set `--c 4`, Add `--d`."""

import re
from collections.abc import Iterator

from tpuguru.frameworks.relax.plan import Edit

_LINE = re.compile(r"(Remove|Set|Add) `(--[^`]+)`")


def edits_of(fix: str) -> tuple[Edit, ...]:
    """Return the changes of a Fix, in order.

    Only lines that start with one of the three words count, and of each only its first quoted flags: what
    follows «or» is another way.
    """
    return tuple(edit for line in fix.split("\n") for edit in _edits_of_line(line.strip()))


def _edits_of_line(line: str) -> Iterator[Edit]:
    found = _LINE.match(line)
    if found is None:
        return
    for part in re.split(r"\s+(?=--)", found[2].strip()):
        flag, _, text = part.partition(" ")
        key = flag.lstrip("-").replace("_", "-")
        yield Edit(key, None if found[1] == "Remove" else text.strip())

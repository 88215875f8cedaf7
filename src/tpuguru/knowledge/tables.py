"""Tables on a page, for figures that a program reads."""

import re

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.knowledge.claim import Row, Table


def make_table(name: str, start: Location, lines: list[tuple[int, list[str]]]) -> Table:
    """Return the table of numbered rows of cells: a header, a row of dashes, rows as wide as the header.

    Raises UsageError with the row's place.
    """
    if len(lines) < 2 or not all(re.fullmatch(r":?-+:?", cell) for cell in lines[1][1]):
        raise UsageError(f"the table {name} needs a header row and a row of dashes", location=start)
    columns = tuple(lines[0][1])
    for number, cells in lines[2:]:
        if len(cells) != len(columns):
            raise UsageError(
                f"the row has {len(cells)} cells, the table {name} has {len(columns)} columns",
                location=Location(start.path, number, 1),
            )
    rows = tuple(
        Row(dict(zip(columns, cells, strict=True)), Location(start.path, number))
        for number, cells in lines[2:]
    )
    return Table(name, columns, rows, start)

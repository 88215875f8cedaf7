"""XProf's JSON tables (the Google DataTable form): rows by column name, and the table's properties."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tpuguru.base.errors import UsageError

type Cell = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """One table: its rows by column id, and its properties (texts, as XProf writes them)."""

    rows: tuple[Mapping[str, Cell], ...]
    properties: Mapping[str, str]


def read_tables(text: str, path: str) -> tuple[ProfileTable, ...]:
    """Return every table found in a JSON text: one table, a list, or tables by tool name.

    UsageError when it is not JSON or holds no table.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {str(error)[:120]}") from error
    tables = tuple(_tables(content, depth=0))
    if not tables:
        raise UsageError(f"{path} holds no XProf table", help="save the JSON of overview_page or hlo_stats")
    return tables


def looks_like_tables(head: bytes) -> bool:
    """Tell from its first bytes whether a file is a JSON export of XProf tables."""
    return head.lstrip()[:1] in (b"{", b"[") and b'"cols"' in head


def _tables(content: Any, depth: int) -> Iterator[ProfileTable]:  # noqa: ANN401 - any JSON
    if depth > 4:
        return
    if isinstance(content, dict) and "cols" in content:
        yield _table(content)
    elif isinstance(content, dict | list):
        for item in content.values() if isinstance(content, dict) else content:
            yield from _tables(item, depth + 1)


def _table(content: Mapping[str, Any]) -> ProfileTable:
    names = [str(column.get("id", "")) for column in content.get("cols") or [] if isinstance(column, dict)]
    rows = []
    for row in content.get("rows") or []:
        cells = row.get("c") if isinstance(row, dict) else None
        if isinstance(cells, list):
            values = [cell.get("v") if isinstance(cell, dict) else None for cell in cells]
            rows.append(dict(zip(names, values, strict=False)))
    properties = content.get("p") or {}
    return ProfileTable(tuple(rows), {str(key): str(value) for key, value in properties.items()})

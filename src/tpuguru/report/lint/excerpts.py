"""The lines of a paste that a finding points at, with carets; secrets redacted."""

from pathlib import Path

from tpuguru.base.redaction import redact
from tpuguru.report.contracts.common import LocationRecord

_MAX_WIDTH = 160
_MAX_BYTES = 2_000_000


class Excerpts:
    """Texts by path: the pastes, and files they source, which are read when a finding points into one."""

    def __init__(self, texts: dict[str, str]) -> None:
        """Keep the pastes' texts."""
        self._lines: dict[str, list[str]] = {path: text.split("\n") for path, text in texts.items()}

    def line(self, place: LocationRecord) -> str | None:
        """Return the line a place is on, or None when the text is not at hand."""
        lines = self._lines.get(place.path)
        if lines is None:
            lines = self._lines[place.path] = _read(place.path)
        return lines[place.line - 1].rstrip("\r") if 0 < place.line <= len(lines) else None

    def marked(self, place: LocationRecord) -> tuple[str, str] | None:
        """Return the line and the caret line below it; a long line is cut around the span."""
        line = self.line(place)
        if line is None:
            return None
        shown = redact(line).replace("\t", " ")
        start, end = place.column - 1, len(line)
        if place.end_column and place.end_line in (None, place.line):
            end = place.end_column - 1
        if shown != line.replace("\t", " "):  # a secret was replaced, so columns no longer fit
            return shown[:_MAX_WIDTH], ""
        offset = max(0, start - _MAX_WIDTH // 2) if len(shown) > _MAX_WIDTH else 0
        visible = shown[offset : offset + _MAX_WIDTH]
        width = max(1, min(end, offset + len(visible)) - start)
        return visible, " " * (start - offset) + "^" * width


def _read(path: str) -> list[str]:
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return []
        return file.read_text(encoding="utf-8", errors="replace").split("\n")
    except (OSError, ValueError):
        return []

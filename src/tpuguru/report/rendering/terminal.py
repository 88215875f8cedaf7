"""Render a document for a terminal, with rich; plain text when the output is not a terminal."""

import io
from typing import TYPE_CHECKING, TextIO

from tpuguru.report.rendering.document import Document, Line, Section, Table, Tone

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_STYLES = {
    Tone.PLAIN: "",
    Tone.GOOD: "bold green",
    Tone.BAD: "bold red",
    Tone.WARNING: "yellow",
    Tone.QUIET: "dim",
}
_PLAIN_WIDTH = 120


def terminal_text(document: Document, *, width: int = _PLAIN_WIDTH) -> str:
    """Return the document as plain text of ``width`` columns."""
    from rich.console import Console  # noqa: PLC0415 - rich costs 60 ms, and only text output needs it

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, no_color=True, highlight=False, legacy_windows=False)
    _print(document, console)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def print_document(document: Document, stream: TextIO) -> None:
    """Print the document, in colour when ``stream`` is a terminal."""
    from rich.console import Console  # noqa: PLC0415

    if stream.isatty():
        _print(document, Console(file=stream, highlight=False))
    else:
        stream.write(terminal_text(document))


def _print(document: Document, console: "Console") -> None:
    console.print(_styled(document.title, "bold"))
    for line in document.head:
        console.print(_line(line))
    for section in document.sections:
        _print_section(section, console)


def _print_section(section: Section, console: "Console") -> None:
    console.print()
    console.print(_styled(section.title, "bold cyan"))
    for part in section.parts:
        console.print(_line(part) if isinstance(part, Line) else _table(part))


def _line(line: Line) -> "RenderableType":
    from rich.padding import Padding  # noqa: PLC0415

    return Padding(_styled(line.text, _STYLES[line.tone]), (0, 0, 0, 2 * line.indent + 2))


def _styled(text: str, style: str) -> "RenderableType":
    from rich.text import Text  # noqa: PLC0415 - a Text, not markup: pasted words may hold square brackets

    return Text(text, style=style)


def _table(table: Table) -> "RenderableType":
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    rendered = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    for position, heading in enumerate(table.headings):
        justify = "right" if position in table.numeric else "left"
        rendered.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in table.rows:
        rendered.add_row(*(Text(cell) for cell in row))
    from rich.padding import Padding  # noqa: PLC0415

    return Padding(rendered, (0, 0, 0, 2))

"""Render a document as GitHub-flavoured Markdown."""

from tpuguru.report.rendering.document import Document, Line, Section, Table, Tone

_SIGNS = {Tone.GOOD: "✅ ", Tone.BAD: "❌ ", Tone.WARNING: "⚠️ "}


def markdown_text(document: Document) -> str:
    """Return the document as Markdown."""
    head = [f"{_SIGNS.get(line.tone, '')}{escaped(line.text)}" for line in document.head]
    blocks = [f"# {escaped(document.title)}", *head, *(_section(section) for section in document.sections)]
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> str:
    blocks = [f"## {escaped(section.title)}"]
    bullets: list[str] = []
    for part in section.parts:
        if isinstance(part, Line):
            bullets.append(_bullet(part))
            continue
        blocks += ["\n".join(bullets)] if bullets else []
        bullets = []
        blocks.append(_table(part))
    blocks += ["\n".join(bullets)] if bullets else []
    return "\n\n".join(blocks)


def _bullet(line: Line) -> str:
    return f"{'  ' * line.indent}- {_SIGNS.get(line.tone, '')}{escaped(line.text)}"


def _table(table: Table) -> str:
    rule = ["---:" if position in table.numeric else "---" for position in range(len(table.headings))]
    rows = [table.headings, tuple(rule), *table.rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _cell(text: str) -> str:
    return escaped(" ".join(text.split())).replace("|", "\\|")


def escaped(text: str) -> str:
    """Keep pasted words from becoming markup; ``_`` inside words is left alone, as GitHub leaves it."""
    return text.replace("\\", "\\\\").replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")

"""Comments and the settings they explain."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.launch.model import Comment, Setting
from tpuguru.launch.source import EmbeddedSource, Source

if TYPE_CHECKING:
    from tree_sitter import Node


def shell_comments(source: Source) -> list[Comment]:
    """Return the comments of a script, each with the lines it governs."""
    from tpuguru.launch.shell.grammar import parse, span, text_of  # noqa: PLC0415

    found: list[Comment] = []
    if isinstance(source, EmbeddedSource) or "#" not in source.text:
        return found
    pending: list[Node] = [parse(source)]
    while pending:
        node = pending.pop()
        if node.type == "comment":
            text = text_of(node, source)
            if not text.startswith("#!"):
                comment = placed_comment(source, text, source.location(*span(node, source)))
                found.append(_within_statement(comment, node))
        pending.extend(reversed(node.children))
    return found


def _within_statement(comment: Comment, node: "Node") -> Comment:
    """End the scope of a comment between statements with the first statement of several lines below it.

    An array or a continued command that follows the explained one without a blank line is another matter.
    """
    first, last = comment.lines
    sibling = node.next_named_sibling
    if not first or node.parent is None or node.parent.type == "array":
        return comment
    while sibling is not None and sibling.start_point.row + 1 <= last:
        if sibling.type != "comment" and sibling.end_point.row > sibling.start_point.row:
            return replace(comment, lines=(first, min(last, sibling.end_point.row + 1)))
        sibling = sibling.next_named_sibling
    return comment


def placed_comment(source: Source, text: str, location: Location) -> Comment:
    """Return a comment with its scope: its own line when it trails, else the block below it.

    The block runs over the contiguous lines below, to a blank line or a line that closes an array; comment
    lines inside it (a switched-off setting, say) do not end it.
    """
    lines = source.lines
    if lines[location.line - 1][: location.column - 1].strip():
        return Comment(text, location, lines=(location.line, location.line))
    number = location.line + 1
    first = 0
    while number <= len(lines):
        stripped = lines[number - 1].strip()
        if not stripped or stripped[0] == ")":
            break
        if not first and not stripped.startswith("#"):
            first = number
        number += 1
    return Comment(text, location, lines=(first, number - 1) if first else (0, 0))


def tie_comments(comments: Iterable[Comment], settings: Sequence[Setting]) -> tuple[Comment, ...]:
    """Return the comments that cover at least one of the settings, with the settings' places."""
    tied = []
    by_path: dict[str, list[Location]] = {}
    for setting in settings:
        if setting.location is not None:
            by_path.setdefault(setting.location.path, []).append(setting.location)
    for comment in comments:
        first, last = comment.lines
        covers = tuple(
            place for place in by_path.get(comment.location.path, ()) if first and first <= place.line <= last
        )
        if covers:
            tied.append(replace(comment, covers=covers))
    return tuple(tied)

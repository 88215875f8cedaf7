"""The bash grammar, loaded once, and a parse that stops in time."""

import math
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.launch.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

_REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")
_NO_WORDS = ("comment", "variable_assignment", *_REDIRECTS, "(", ")")
LONGEST_READING = 6.0  # seconds; a published launch takes 0.01, a script of 1 MiB 2


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - only when a script is read
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_bash.language()))


def parse(source: Source, deadline: float = math.inf) -> "Node":
    """Return the root of the syntax tree; broken parts are ERROR nodes.

    UsageError when it takes longer than the limit, or lasts past ``deadline`` (of ``time.monotonic``): text
    that is nested thousands of levels deep takes more than linear time.
    """
    if source.tree is not None:
        return source.tree
    deadline = min(deadline, time.monotonic() + LONGEST_READING)
    data = source.data

    def read(offset: int, _: "Point") -> bytes | None:
        return data[offset : offset + 65536] or None

    def stop(_offset: int, _error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        return time.monotonic() > deadline

    parser = _parser()
    try:
        tree = parser.parse(read, progress_callback=stop)
    except ValueError:
        tree = None
        parser.reset()
    if tree is None:
        raise UsageError(
            f"{source.path} cannot be read as a script in {LONGEST_READING:.0f} s",
            help="paste the launch script or command alone",
        )
    source.tree = tree.root_node
    return source.tree


def span(node: "Node", source: Source) -> tuple[int, int]:
    """Return a node's character offsets."""
    return source.character(node.start_byte), source.character(node.end_byte)


def word_ranges(nodes: Iterable["Node"], source: Source) -> Iterator[tuple[int, int]]:
    """Yield the character ranges of the words among ``nodes``; neighbours without a blank are one word.

    The grammar cuts ``[0]*$N+[1]*58``, and what it does not understand, into pieces; a shell does not.
    """
    start = end = -1
    for outer in nodes:
        for node in outer.children if outer.type == "ERROR" else (outer,):
            if node.type in _NO_WORDS:
                continue
            if node.start_byte != end:
                if end >= 0:
                    yield source.character(start), source.character(end)
                start = node.start_byte
            end = node.end_byte
    if end >= 0:
        yield source.character(start), source.character(end)


def text_of(node: "Node", source: Source) -> str:
    """Return a node's text."""
    return source.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

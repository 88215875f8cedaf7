"""The bash grammar, loaded once, and a parse that stops in time."""

import time
from functools import cache
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.launch.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

_LONGEST_PARSE = 10.0  # seconds; a script of 4 MiB takes 2


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - only when a script is read
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_bash.language()))


def parse(source: Source) -> "Node":
    """Return the root of the syntax tree; broken parts are ERROR nodes. UsageError when it takes too long."""
    deadline = time.monotonic() + _LONGEST_PARSE
    data = source.data

    def read(offset: int, _: "Point") -> bytes | None:
        return data[offset : offset + 65536] or None

    def stop(_offset: int, _error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        return time.monotonic() > deadline

    try:
        tree = _parser().parse(read, progress_callback=stop)
    except ValueError:
        tree = None
    if tree is None:
        raise UsageError(f"{source.path} cannot be parsed as a script in {_LONGEST_PARSE:.0f} s")
    return tree.root_node


def span(node: "Node", source: Source) -> tuple[int, int]:
    """Return a node's character offsets."""
    return source.character(node.start_byte), source.character(node.end_byte)


def text_of(node: "Node", source: Source) -> str:
    """Return a node's text."""
    return source.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

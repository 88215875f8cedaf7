"""The statement and the expression that a frame is executing, in its source."""

import ast
import linecache
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from types import FrameType

_trees: dict[str, ast.Module | None] = {}

Span = tuple[int, int, int, int]
"""First line, first column, last line, end column; columns are bytes."""


@dataclass(frozen=True)
class Place:
    """``path``: nodes from a whole expression of ``statement`` down to the one that is being evaluated.

    ``block``: the statements that ``statement`` is among. ``loop``: the ``while`` around it in its function,
    unless a ``for``, which ends by itself, is nearer.
    """

    statement: ast.stmt
    path: tuple[ast.AST, ...]
    block: list[ast.stmt]
    loop: ast.While | None


def place_of(frame: FrameType) -> Place | None:
    """Return where ``frame`` is; None when its source is not to be had (or Python is older than 3.11)."""
    span, tree = _span_of(frame), _tree_of(frame)
    if span is None or tree is None:
        return None
    return _descend(tree.body, span, None)


def path_to(root: ast.AST, wanted: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes from ``root`` down to ``wanted``, both included; empty when it is not below."""
    if root is wanted:
        return (root,)
    for child in ast.iter_child_nodes(root):
        below = path_to(child, wanted)
        if below:
            return (root, *below)
    return ()


def is_call_of(node: ast.AST, names: Collection[str]) -> bool:
    """Say whether a node calls a function or method of one of these names."""
    return isinstance(node, ast.Call) and name_of(node.func) in names


def name_of(function: ast.expr) -> str:
    """Return the last part of a function's name; empty for one that has none."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _span_of(frame: FrameType) -> Span | None:
    if not hasattr(frame.f_code, "co_positions") or frame.f_lasti < 0:
        return None
    line, end_line, column, end_column = next(
        islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4
    )
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def _tree_of(frame: FrameType) -> ast.Module | None:
    file = frame.f_code.co_filename
    if file not in _trees:
        text = "".join(linecache.getlines(file, frame.f_globals))
        try:
            _trees[file] = ast.parse(text) if text else None
        except (SyntaxError, ValueError, RecursionError):
            _trees[file] = None
    return _trees[file]


def _holds(node: ast.AST, span: Span) -> bool:
    if not isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.excepthandler):
        return False
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return begin <= span[:2] and span[2:] <= end


def _descend(block: list[ast.stmt], span: Span, loop: ast.While | None) -> Place | None:
    statement = next((each for each in block if _holds(each, span)), None)
    if statement is None:
        return None
    inner = loop
    if isinstance(statement, ast.While):
        inner = statement
    elif isinstance(
        statement, ast.For | ast.AsyncFor | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ):
        inner = None
    for blocks, around in _blocks(statement, inner, loop):
        place = _descend(blocks, span, around)
        if place is not None:
            return place
    return Place(statement, _expressions(statement, span), block, loop)


def _blocks(
    statement: ast.stmt, inner: ast.While | None, outer: ast.While | None
) -> list[tuple[list[ast.stmt], ast.While | None]]:
    """Return the blocks inside a statement, and the loop around each."""
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    cases = [case.body for case in getattr(statement, "cases", [])]
    blocks = [getattr(statement, "body", []), getattr(statement, "finalbody", []), *handlers, *cases]
    found = [(block, inner) for block in blocks]
    after = outer if isinstance(statement, ast.While | ast.For | ast.AsyncFor) else inner
    return [*found, (getattr(statement, "orelse", []), after)]


def _expressions(statement: ast.stmt, span: Span) -> tuple[ast.AST, ...]:
    path: list[ast.AST] = []
    node: ast.AST = statement
    while True:
        below = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
        child = next((each for each in _flattened(below) if _holds(each, span)), None)
        if child is None:
            return tuple(path)
        path.append(child)
        node = child


def _flattened(nodes: list[ast.AST]) -> list[ast.AST]:
    """Replace nodes without a position (arguments, comprehensions) by what is in them."""
    flat: list[ast.AST] = []
    for node in nodes:
        flat += [node] if hasattr(node, "lineno") else _flattened(list(ast.iter_child_nodes(node)))
    return flat

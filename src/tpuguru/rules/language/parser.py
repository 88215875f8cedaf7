"""Text to a syntax tree that holds nothing outside the allow-list."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.rules.language.errors import ExpressionError, Span

MAX_CHARACTERS = 4_000
MAX_DEPTH = 40

_ALLOWED = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
    ast.IfExp, ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.Constant,
    ast.Tuple, ast.List, ast.GeneratorExp, ast.comprehension, ast.Load, ast.Store,
)  # fmt: skip

_NOT_ALLOWED = {
    ast.Pow: "** is not part of the rule language",
    ast.Is: "compare with == instead of `is`",
    ast.IsNot: "compare with != instead of `is not`",
    ast.Lambda: "functions cannot be defined in a rule",
    ast.NamedExpr: "nothing can be assigned in a rule",
    ast.ListComp: "write the generator without brackets: any(… for x in xs)",
    ast.SetComp: "write the generator without braces: any(… for x in xs)",
    ast.DictComp: "dictionaries are not part of the rule language",
    ast.Dict: "dictionaries are not part of the rule language",
    ast.Set: "write a list in parentheses: (1, 2)",
    ast.JoinedStr: "f-strings are not part of the rule language",
    ast.Starred: "* is not part of the rule language here",
    ast.Slice: "slices are not part of the rule language; take one element by its number",
}


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression's text and its syntax tree; positions in the tree refer to the text in parentheses."""

    text: str
    tree: ast.expr

    def span(self, node: ast.AST) -> Span | None:
        """Return where ``node`` stands in the text, or None for a node that has no place."""
        if not isinstance(node, ast.expr):
            return None
        start = self._position(node.lineno, node.col_offset)
        end = self._position(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return Span(*start, *end)

    def source(self, node: ast.expr) -> str:
        """Return the text of ``node`` on one line."""
        return " ".join((ast.get_source_segment(f"({self.text}\n)", node) or ast.unparse(node)).split())

    def _position(self, line: int, byte_offset: int) -> tuple[int, int]:
        wrapped = f"({self.text}\n)".split("\n")[line - 1]
        column = len(wrapped.encode()[:byte_offset].decode(errors="replace"))
        return line, column + (0 if line == 1 else 1)


def parse_expression(text: str) -> Expression:
    """Read one expression.

    Raises:
        ExpressionError: not an expression, too long, too deep, or Python that the language leaves out.

    """
    if not text.strip():
        raise ExpressionError("the expression is empty")
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"the expression is longer than {MAX_CHARACTERS:,} characters")
    _refuse_deep_brackets(text)
    expression = Expression(text, _parse(text))
    for node, depth in _walk(expression.tree):
        if depth > MAX_DEPTH:
            raise ExpressionError(f"the expression is nested deeper than {MAX_DEPTH} levels")
        if not isinstance(node, _ALLOWED):
            raise _not_allowed(expression, node)
    return expression


def parse_checked(text: str) -> ast.expr:
    """Return the tree of a text that :func:`parse_expression` accepted before; it is not checked again."""
    return ast.parse(f"({text}\n)", mode="eval").body


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"not an expression: {error.msg}", _syntax_error_span(error)) from None
    except (MemoryError, RecursionError, ValueError):
        raise ExpressionError("not an expression: nested too deeply or not text") from None


def _syntax_error_span(error: SyntaxError) -> Span | None:
    if not error.lineno or not error.offset:
        return None
    column = max(error.offset - (1 if error.lineno == 1 else 0), 1)
    same_line = error.end_lineno == error.lineno and (error.end_offset or 0) > error.offset
    width = (error.end_offset or 0) - error.offset if same_line else 1
    return Span(error.lineno, column, error.lineno, column + width)


def _refuse_deep_brackets(text: str) -> None:
    depth = 0
    for character in text:
        depth += character in "([{"
        depth -= character in ")]}"
        if depth > MAX_DEPTH:
            raise ExpressionError(f"the expression is nested deeper than {MAX_DEPTH} levels")


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """Yield every node with its depth; a loop, because hostile text must not exhaust the stack."""
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        pending.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _not_allowed(expression: Expression, node: ast.AST) -> ExpressionError:
    reason = _NOT_ALLOWED.get(type(node))
    place = next(
        (
            parent
            for parent, _ in _walk(expression.tree)
            if parent is node or any(child is node for child in ast.iter_child_nodes(parent))
        ),
        node,
    )
    word = type(node).__name__
    return ExpressionError(reason or f"{word} is not part of the rule language", expression.span(place))


def dotted_name(node: ast.expr) -> str | None:
    """Return ``a.b.c`` for a chain of attributes that starts at a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None

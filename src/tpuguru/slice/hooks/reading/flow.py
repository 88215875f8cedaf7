"""Where control and values go inside one function."""

import ast
from collections.abc import Iterator

from .source import Place, is_call_of, path_to

EXITS = (ast.Break, ast.Return)
"""Statements that leave a loop."""

KNOWN_CHECKS = {
    ("jax/_src/checkify.py", "get_exception"): 0.0,
    ("jax/_src/checkify.py", "_get_batched_exception"): 0.0,
}
"""Functions whose every read is a check, and the answer that passes it: checkify's predicates tell errors."""

_LEAVING = {"exit", "_exit", "abort"}


def leads_to_raise(body: list[ast.stmt]) -> bool:
    """Say whether a block ends by raising, or by leaving the program."""
    last = body[-1] if body else None
    return isinstance(last, ast.Raise) or (isinstance(last, ast.Expr) and is_call_of(last.value, _LEAVING))


def tests_of_name(name: str, place: Place) -> Iterator[tuple[ast.stmt, tuple[ast.AST, ...]]]:
    """Yield statements that decide by a variable, with the path from their condition to the variable.

    Those of the loop around it, the loop's own condition first; without a loop, those that follow it.
    """
    scope = [place.loop, *_below(place.loop.body)] if place.loop is not None else _following(place)
    for statement in scope:
        condition = _condition_of(statement)
        if condition is None:
            continue
        for node in ast.walk(condition):
            if isinstance(node, ast.Name) and node.id == name:
                yield statement, path_to(condition, node)
                break


def _condition_of(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, ast.While | ast.If | ast.Assert):
        return statement.test
    return statement.value if isinstance(statement, ast.Return) else None


def _below(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block and of the blocks in it, but of no function or loop defined there."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.For | ast.While):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _below(getattr(statement, field, []))


def _following(place: Place) -> Iterator[ast.stmt]:
    found = False
    for statement in place.block:
        if found:
            yield statement
        found = found or statement is place.statement

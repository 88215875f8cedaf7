"""Why an expression is what it is, comparison by comparison: «now 91.2 GiB, applies at or below 81.2 GiB»."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.rules.evidence import show_value
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.dimensions import format_quantity
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.kinds import Base
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.parser import Expression, dotted_name, parse_expression
from tpuguru.rules.language.scope import Scope


@dataclass(frozen=True, slots=True)
class Operand:
    """One part of an expression with its value: True, False or the facts it is missing."""

    source: str
    value: object
    detail: str
    depth: int = 0


def what_would_tip(text: str, scope: Scope) -> str:
    """Say which comparisons keep ``text`` from being true, with the values on both sides."""
    failing = [operand for operand in operands(text, scope) if operand.value is False and operand.detail]
    return (
        "It would apply if " + " and ".join(f"{operand.source} ({operand.detail})" for operand in failing)
        if failing
        else ""
    )


def operands(text: str, scope: Scope) -> list[Operand]:
    """Return the operands of an expression: those of `and` and `or` apart, with values, outermost first."""
    expression = parse_expression(text)
    return list(_operands(expression, expression.tree, scope, 0))


def _operands(expression: Expression, node: ast.expr, scope: Scope, depth: int) -> Iterator[Operand]:
    if isinstance(node, ast.BoolOp):
        if depth:
            word = "all of" if isinstance(node.op, ast.And) else "one of"
            yield Operand(word, compile_node(node)(scope), "", depth)
        for part in node.values:
            yield from _operands(expression, part, scope, depth + 1)
        return
    value = compile_node(node)(scope)
    yield Operand(expression.source(node), value, _detail(expression, node, value, scope), depth)


def _detail(expression: Expression, node: ast.expr, value: object, scope: Scope) -> str:
    if isinstance(value, Missing):
        return "unknown: needs " + "; ".join(
            f"{fact.name} ({fact.needs or fact.reason})" if fact.name else fact.reason for fact in value.facts
        )
    if isinstance(node, ast.Compare):
        sides = [_side(expression, side, scope) for side in (node.left, *node.comparators)]
        return "now " + " against ".join(side for side in sides if side)
    names = dict.fromkeys(
        name
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and (name := dotted_name(part)) and name in scope.facts.schema
    )
    shown = [
        f"{name} = {show_value(name, scope.facts.get(name).value, scope.facts.schema)}" for name in names
    ]
    return "; ".join(shown)


def _side(expression: Expression, node: ast.expr, scope: Scope) -> str:
    """Render one side of a comparison; a constant is already in the text and needs no repeating."""
    if isinstance(node, ast.Constant | ast.Tuple | ast.List):
        return ""
    name = dotted_name(node) or ""
    if name in scope.facts.schema:
        return show_value(name, scope.facts.get(name).value, scope.facts.schema)
    value = compile_node(node)(scope)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    try:
        part = Expression(expression.text, node)
        kind = check_expression(part, scope.facts.schema)
    except ExpressionError:
        return str(value)
    return format_quantity(value, kind.dimension) if kind.base is Base.NUMBER else str(value)

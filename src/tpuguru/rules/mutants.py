"""Is every part of a rule's trigger held by an example? Break each part and see whether one notices."""

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace

from tpuguru.facts.finding import Verdict
from tpuguru.rules.engine import evaluate_rule
from tpuguru.rules.examples import Case
from tpuguru.rules.language.parser import Expression, parse_expression
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Piece, Rule

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken expression and what was broken."""

    what: str
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """Yield every broken form: always true, always false, an operand dropped, a comparison turned round."""
    expression = parse_expression(text)
    yield Mutant("always true", "True")
    yield Mutant("always false", "False")
    for number, node in enumerate(ast.walk(expression.tree)):
        if isinstance(node, ast.BoolOp):
            for index, operand in enumerate(node.values):
                yield _without(expression, number, index, operand)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            tree = deepcopy(expression.tree)
            broken = _node(tree, number)
            assert isinstance(broken, ast.Compare)  # noqa: S101 - the copy has the original's shape
            broken.ops = [_OPPOSITE[type(node.ops[0])]()]
            yield Mutant(f"turned round: {expression.source(node)}", ast.unparse(tree))


def _without(expression: Expression, number: int, index: int, operand: ast.expr) -> Mutant:
    tree = deepcopy(expression.tree)
    broken = _node(tree, number)
    assert isinstance(broken, ast.BoolOp)  # noqa: S101 - the copy has the original's shape
    broken.values[index] = ast.Constant(isinstance(broken.op, ast.And))
    return Mutant(f"without: {expression.source(operand)}", ast.unparse(tree))


def _node(tree: ast.expr, number: int) -> ast.AST:
    return next(node for at, node in enumerate(ast.walk(tree)) if at == number)


def survivors(rule: Rule, cases: list[Case]) -> list[Mutant]:
    """Return the mutants of `when` that no example notices."""
    return [mutant for mutant in mutants(rule.when.text) if not _noticed(rule, mutant, cases)]


def _noticed(rule: Rule, mutant: Mutant, cases: list[Case]) -> bool:
    broken = replace(rule, when=Piece(mutant.text))
    return any(not case.accepts(_verdict(broken, case)) for case in cases)


def _verdict(rule: Rule, case: Case) -> Verdict:
    return evaluate_rule(rule, Scope(case.facts)).verdict

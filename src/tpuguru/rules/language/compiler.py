"""A checked syntax tree to closures. Python's `eval` is never used; every node is a function of the scope."""

import ast
import operator
from collections.abc import Callable

from tpuguru.facts.value import Unknown
from tpuguru.rules.language.closures import (
    Evaluate,
    applied,
    conjunction,
    disjunction,
    known_fact,
    known_values,
    read_fact,
    stated_fact,
    text_test,
)
from tpuguru.rules.language.dimensions import UNIT_NAMES
from tpuguru.rules.language.functions import FUNCTIONS, REDUCTIONS
from tpuguru.rules.language.missing import Missing, missing_reason
from tpuguru.rules.language.parser import dotted_name
from tpuguru.rules.language.reductions import reduction
from tpuguru.rules.language.scope import Scope, missing_from

_OPERATIONS: dict[type, Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}


_SIGNS: dict[type, Callable[..., object]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def compile_node(node: ast.expr, variables: frozenset[str] = frozenset()) -> Evaluate:
    """Return the function that computes ``node``, which must have passed :func:`check_expression`."""
    return _COMPILERS[type(node)](node, variables)


def _constant(node: ast.Constant, _variables: frozenset[str]) -> Evaluate:
    value = node.value
    return lambda _scope: value


def _name(node: ast.Name, variables: frozenset[str]) -> Evaluate:
    name = node.id
    if name in variables:
        return lambda scope: scope.locals[name]
    if name in UNIT_NAMES:
        size = UNIT_NAMES[name][0]
        return lambda _scope: size
    return read_fact(name)


def _attribute(node: ast.Attribute, variables: frozenset[str]) -> Evaluate:
    name = dotted_name(node)
    if name is not None and name.partition(".")[0] not in variables:
        return read_fact(name)
    record, field = compile_node(node.value, variables), node.attr

    def read(scope: Scope) -> object:
        holder = record(scope)
        if holder.__class__ is Missing:
            return holder
        value = holder.get(field)  # type: ignore[attr-defined]
        if value is None:
            return missing_reason(f"{field} is not stated for every entry")
        return missing_from(field, value) if isinstance(value, Unknown) else value

    return read


def _boolean_operation(node: ast.BoolOp, variables: frozenset[str]) -> Evaluate:
    operands = [compile_node(operand, variables) for operand in node.values]
    return conjunction(operands) if isinstance(node.op, ast.And) else disjunction(operands)


def _unary(node: ast.UnaryOp, variables: frozenset[str]) -> Evaluate:
    operand = compile_node(node.operand, variables)
    apply = _SIGNS[type(node.op)]

    def evaluate(scope: Scope) -> object:
        value = operand(scope)
        return value if value.__class__ is Missing else apply(value)

    return evaluate


def _binary(node: ast.BinOp, variables: frozenset[str]) -> Evaluate:
    return applied(
        _OPERATIONS[type(node.op)], compile_node(node.left, variables), compile_node(node.right, variables)
    )


def _compare(node: ast.Compare, variables: frozenset[str]) -> Evaluate:
    operands = [compile_node(operand, variables) for operand in (node.left, *node.comparators)]
    steps = [
        applied(_OPERATIONS[type(operation)], left, right)
        for operation, left, right in zip(node.ops, operands, operands[1:], strict=False)
    ]
    return steps[0] if len(steps) == 1 else conjunction(steps)


def _conditional(node: ast.IfExp, variables: frozenset[str]) -> Evaluate:
    test, body, orelse = (compile_node(part, variables) for part in (node.test, node.body, node.orelse))

    def evaluate(scope: Scope) -> object:
        chosen = test(scope)
        if chosen.__class__ is Missing:
            return chosen
        return body(scope) if chosen else orelse(scope)

    return evaluate


def _sequence(node: ast.Tuple | ast.List, variables: frozenset[str]) -> Evaluate:
    if all(isinstance(element, ast.Constant) for element in node.elts):
        constant = tuple(element.value for element in node.elts if isinstance(element, ast.Constant))
        return lambda _scope: constant
    elements = [compile_node(element, variables) for element in node.elts]

    def evaluate(scope: Scope) -> object:
        return known_values(tuple(element(scope) for element in elements))

    return evaluate


def _subscript(node: ast.Subscript, variables: frozenset[str]) -> Evaluate:
    container, index = compile_node(node.value, variables), int(ast.unparse(node.slice))

    def evaluate(scope: Scope) -> object:
        values = container(scope)
        if isinstance(values, Missing):
            return values
        try:
            return values[index]  # type: ignore[index]
        except IndexError:
            return missing_reason(f"the list has no element {index}")

    return evaluate


def _call(node: ast.Call, variables: frozenset[str]) -> Evaluate:
    assert isinstance(node.func, ast.Name)  # noqa: S101 - the checker refuses anything else
    name = node.func.id
    if name in REDUCTIONS and isinstance(node.args[0], ast.GeneratorExp):
        return _reduce(name, node.args[0], variables)
    if name == "known":
        return known_fact(dotted_name(node.args[0]) or "")
    if name == "stated":
        return stated_fact(dotted_name(node.args[0]) or "")
    if name in ("mentions", "matches"):
        fact = dotted_name(node.args[0]) or ""
        texts = [str(part.value) for part in node.args[1:] if isinstance(part, ast.Constant)]
        return text_test(name, compile_node(node.args[0], variables), fact, texts)
    apply = FUNCTIONS[name].apply
    arguments = [compile_node(argument, variables) for argument in node.args]

    def evaluate(scope: Scope) -> object:
        values = known_values(tuple(argument(scope) for argument in arguments))
        if isinstance(values, Missing):
            return values
        try:
            return apply(*values)
        except (ArithmeticError, ValueError) as error:
            return missing_reason(f"{name} has no result ({error})")

    return evaluate


def _reduce(name: str, generator: ast.GeneratorExp, variables: frozenset[str]) -> Evaluate:
    loop = generator.generators[0]
    assert isinstance(loop.target, ast.Name)  # noqa: S101 - the checker refuses anything else
    inner = variables | {loop.target.id}
    conditions = [compile_node(condition, inner) for condition in loop.ifs]
    return reduction(
        name,
        loop.target.id,
        compile_node(loop.iter, variables),
        conjunction(conditions) if conditions else None,
        compile_node(generator.elt, inner),
    )


_COMPILERS: dict[type[ast.expr], Callable[..., Evaluate]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BoolOp: _boolean_operation,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Subscript: _subscript,
    ast.Call: _call,
}

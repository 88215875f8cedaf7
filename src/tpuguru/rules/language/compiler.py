"""A checked syntax tree to closures. Python's `eval` is never used; every node is a function of the scope."""

import ast
import operator
from collections.abc import Callable

from tpuguru.facts.origin import OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.rules.language.dimensions import UNIT_NAMES
from tpuguru.rules.language.functions import FUNCTIONS, REDUCTIONS
from tpuguru.rules.language.missing import Missing, missing_reason
from tpuguru.rules.language.parser import dotted_name
from tpuguru.rules.language.reductions import reduction
from tpuguru.rules.language.scope import Scope, TextMatch, missing_from
from tpuguru.rules.language.text_tests import find_together, phrase_pattern, regex_pattern

type Evaluate = Callable[[Scope], object]

_WRITTEN = {OriginKind.COMMAND, OriginKind.ENVIRONMENT, OriginKind.FILE, OriginKind.OPTION}

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
    return _fact(name)


def _fact(name: str) -> Evaluate:
    def read(scope: Scope) -> object:
        scope.reads.append(name)
        try:
            return scope.values[name]
        except KeyError:
            return scope.fetch(name)

    return read


def _attribute(node: ast.Attribute, variables: frozenset[str]) -> Evaluate:
    name = dotted_name(node)
    if name is not None and name.partition(".")[0] not in variables:
        return _fact(name)
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


def _and(operands: list[Evaluate]) -> Evaluate:
    def evaluate(scope: Scope) -> object:
        missing: Missing | None = None
        start = len(scope.reads)
        for operand in operands:
            mark = len(scope.reads)
            value = operand(scope)
            if value.__class__ is Missing:
                missing = missing.joined(value) if missing else value
            elif not value:
                scope.reads[start:mark] = []  # what decided is this operand alone
                return False
        return True if missing is None else missing

    return evaluate


def _or(operands: list[Evaluate]) -> Evaluate:
    def evaluate(scope: Scope) -> object:
        missing: Missing | None = None
        start = len(scope.reads)
        for operand in operands:
            mark = len(scope.reads)
            value = operand(scope)
            if value.__class__ is Missing:
                missing = missing.joined(value) if missing else value
            elif value:
                scope.reads[start:mark] = []
                return True
        return False if missing is None else missing

    return evaluate


def _boolean_operation(node: ast.BoolOp, variables: frozenset[str]) -> Evaluate:
    operands = [compile_node(operand, variables) for operand in node.values]
    return _and(operands) if isinstance(node.op, ast.And) else _or(operands)


def _unary(node: ast.UnaryOp, variables: frozenset[str]) -> Evaluate:
    operand = compile_node(node.operand, variables)
    apply = _SIGNS[type(node.op)]

    def evaluate(scope: Scope) -> object:
        value = operand(scope)
        return value if value.__class__ is Missing else apply(value)

    return evaluate


def _apply(apply: Callable[..., object], left: Evaluate, right: Evaluate) -> Evaluate:
    def evaluate(scope: Scope) -> object:
        first = left(scope)
        second = right(scope)
        if first.__class__ is Missing or second.__class__ is Missing:
            return _join_missing(first, second)
        try:
            return apply(first, second)
        except ArithmeticError as error:
            return missing_reason(f"the arithmetic has no result ({error})")

    return evaluate


def _join_missing(first: object, second: object) -> Missing:
    if isinstance(first, Missing):
        return first.joined(second) if isinstance(second, Missing) else first
    assert isinstance(second, Missing)  # noqa: S101 - the caller saw that one of the two is
    return second


def _binary(node: ast.BinOp, variables: frozenset[str]) -> Evaluate:
    return _apply(
        _OPERATIONS[type(node.op)], compile_node(node.left, variables), compile_node(node.right, variables)
    )


def _compare(node: ast.Compare, variables: frozenset[str]) -> Evaluate:
    operands = [compile_node(operand, variables) for operand in (node.left, *node.comparators)]
    steps = [
        _apply(_OPERATIONS[type(operation)], left, right)
        for operation, left, right in zip(node.ops, operands, operands[1:], strict=False)
    ]
    return steps[0] if len(steps) == 1 else _and(steps)


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
        return _known(tuple(element(scope) for element in elements))

    return evaluate


def _known(values: tuple[object, ...]) -> tuple[object, ...] | Missing:
    """Return the values, or the Missing that those of them which are missing make together."""
    missing: Missing | None = None
    for value in values:
        if isinstance(value, Missing):
            missing = missing.joined(value) if missing else value
    return values if missing is None else missing


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
        return _known_fact(dotted_name(node.args[0]) or "")
    if name == "stated":
        return _stated_fact(dotted_name(node.args[0]) or "")
    if name in ("mentions", "matches"):
        return _text_test(name, node, variables)
    apply = FUNCTIONS[name].apply
    arguments = [compile_node(argument, variables) for argument in node.args]

    def evaluate(scope: Scope) -> object:
        values = _known(tuple(argument(scope) for argument in arguments))
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
        _and(conditions) if conditions else None,
        compile_node(generator.elt, inner),
    )


def _known_fact(name: str) -> Evaluate:
    read = _fact(name)
    return lambda scope: read(scope).__class__ is not Missing


def _stated_fact(name: str) -> Evaluate:
    def evaluate(scope: Scope) -> object:
        scope.reads.append(name)
        value = scope.facts.get(name)
        return value.known and value.origin.kind in _WRITTEN

    return evaluate


def _text_test(name: str, node: ast.Call, variables: frozenset[str]) -> Evaluate:
    text_of = compile_node(node.args[0], variables)
    fact = dotted_name(node.args[0]) or ""
    texts = [argument.value for argument in node.args[1:] if isinstance(argument, ast.Constant)]
    compile_pattern = phrase_pattern if name == "mentions" else regex_pattern

    def evaluate(scope: Scope) -> object:
        text = text_of(scope)
        if not isinstance(text, str):
            return text
        patterns = [compile_pattern(str(pattern)) for pattern in texts]
        found = find_together(patterns, text)
        if found is None:
            return False
        scope.matches.extend(TextMatch(fact, start, end) for start, end in found)
        return True

    return evaluate


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

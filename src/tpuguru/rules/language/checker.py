"""Types: every name exists, units fit, every text is one the fact can have. Runs when a rule is loaded."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.schema import Vocabulary
from tpuguru.rules.language.dimensions import UNIT_NAMES, multiplied
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.functions import (
    FACT_TESTS,
    FUNCTIONS,
    REDUCTIONS,
    TEXT_TESTS,
    common_number,
    compatible,
    function_names,
    require_numbers,
)
from tpuguru.rules.language.kinds import BOOLEAN, NUMBER, TEXT, Base, Kind, kind_of
from tpuguru.rules.language.parser import Expression, dotted_name
from tpuguru.rules.language.text_tests import phrase_pattern, regex_pattern


def check_expression(expression: Expression, vocabulary: Vocabulary, *, expect: Base | None = None) -> Kind:
    """Return the expression's type.

    Raises:
        ExpressionError: an unknown name, a text the fact cannot have, units that do not fit, not ``expect``.

    """
    kind = _Checker(expression, vocabulary).kind(expression.tree, {})
    if expect is not None and kind.base is not expect:
        raise ExpressionError(f"{expect.value} is needed; this is {kind}", expression.span(expression.tree))
    return kind


class _Checker:
    def __init__(self, expression: Expression, vocabulary: Vocabulary) -> None:
        self._expression = expression
        self._vocabulary = vocabulary
        self._handlers: dict[type[ast.expr], Callable[..., Kind]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.BoolOp: self._boolean_operation,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.Tuple: self._sequence,
            ast.List: self._sequence,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
            ast.GeneratorExp: self._generator,
        }

    def kind(self, node: ast.expr, variables: dict[str, Kind]) -> Kind:
        """Return the type of ``node`` where ``variables`` are in scope; errors carry the node's span."""
        try:
            return self._handlers[type(node)](node, variables)
        except ExpressionError as error:
            if error.span is None:
                raise ExpressionError(error.message, self._expression.span(node), hint=error.hint) from None
            raise

    def _constant(self, node: ast.Constant, _variables: dict[str, Kind]) -> Kind:
        if isinstance(node.value, bool):
            return replace(BOOLEAN, literal=node.value)
        if isinstance(node.value, int | float):
            return replace(NUMBER, literal=node.value)
        if isinstance(node.value, str):
            return replace(TEXT, literal=node.value)
        raise ExpressionError(f"{ast.unparse(node)} is not a value of the rule language")

    def _name(self, node: ast.Name, variables: dict[str, Kind]) -> Kind:
        if node.id in variables:
            return variables[node.id]
        if node.id in UNIT_NAMES:
            return replace(NUMBER, dimension=UNIT_NAMES[node.id][1])
        return self._fact(node.id)

    def _attribute(self, node: ast.Attribute, variables: dict[str, Kind]) -> Kind:
        name = dotted_name(node)
        if name is None or name.split(".")[0] in variables:
            return self._record_field(node, self.kind(node.value, variables))
        return self._fact(name)

    def _record_field(self, node: ast.Attribute, record: Kind) -> Kind:
        if record.fields is None:
            raise ExpressionError(f"{record} has no field {node.attr}")
        if node.attr not in record.fields:
            raise ExpressionError(f"no field {node.attr}", hint=_suggestion(node.attr, list(record.fields)))
        return record.fields[node.attr]

    def _fact(self, name: str) -> Kind:
        field = self._vocabulary.get(name)
        if field is not None:
            return kind_of(field)
        known = [*self._vocabulary.names(), *UNIT_NAMES, *function_names()]
        namespaces = sorted({known_name.partition(".")[0] for known_name in self._vocabulary.names()})
        raise ExpressionError(
            f"no fact is called {name}",
            hint=_suggestion(name, known, otherwise=f"facts begin with {', '.join(namespaces)}"),
        )

    def _boolean_operation(self, node: ast.BoolOp, variables: dict[str, Kind]) -> Kind:
        word = "and" if isinstance(node.op, ast.And) else "or"
        for operand in node.values:
            self._require(operand, variables, Base.BOOLEAN, f"`{word}`")
        return BOOLEAN

    def _unary(self, node: ast.UnaryOp, variables: dict[str, Kind]) -> Kind:
        if isinstance(node.op, ast.Not):
            self._require(node.operand, variables, Base.BOOLEAN, "`not`")
            return BOOLEAN
        return self._require(node.operand, variables, Base.NUMBER, "a sign").without_literal()

    def _binary(self, node: ast.BinOp, variables: dict[str, Kind]) -> Kind:
        left, right = self.kind(node.left, variables), self.kind(node.right, variables)
        require_numbers([left, right], "arithmetic")
        if isinstance(node.op, ast.Add | ast.Sub | ast.Mod):
            return common_number([left, right], {ast.Add: "+", ast.Sub: "-"}.get(type(node.op), "%"))
        if right.literal is not None:
            return left.without_literal()
        if left.literal is not None and isinstance(node.op, ast.Mult):
            return right
        return replace(
            NUMBER,
            dimension=multiplied(left.dimension, right.dimension, 1 if isinstance(node.op, ast.Mult) else -1),
        )

    def _compare(self, node: ast.Compare, variables: dict[str, Kind]) -> Kind:
        kinds = [self.kind(operand, variables) for operand in (node.left, *node.comparators)]
        for operator, left, right in zip(node.ops, kinds, kinds[1:], strict=False):
            if isinstance(operator, ast.In | ast.NotIn):
                _check_membership(left, right)
            else:
                _check_comparison(operator, left, right)
        return BOOLEAN

    def _conditional(self, node: ast.IfExp, variables: dict[str, Kind]) -> Kind:
        self._require(node.test, variables, Base.BOOLEAN, "`if`")
        first, second = self.kind(node.body, variables), self.kind(node.orelse, variables)
        if first.base is not second.base:
            raise ExpressionError(f"one branch is {first}, the other {second}")
        return common_number([first, second], "if/else") if first.base is Base.NUMBER else Kind(first.base)

    def _sequence(self, node: ast.Tuple | ast.List, variables: dict[str, Kind]) -> Kind:
        kinds = [self.kind(element, variables) for element in node.elts]
        if not kinds:
            raise ExpressionError("an empty list has no type; use len(…) == 0")
        if any(kind.base is not kinds[0].base for kind in kinds):
            raise ExpressionError("the elements of a list must be of one type")
        element = common_number(kinds, "the list") if kinds[0].base is Base.NUMBER else Kind(kinds[0].base)
        texts = tuple(kind.literal for kind in kinds)
        return Kind(Base.LIST, element=element, literal=texts if None not in texts else None)

    def _subscript(self, node: ast.Subscript, variables: dict[str, Kind]) -> Kind:
        container = self.kind(node.value, variables)
        if container.base is not Base.LIST or container.element is None:
            raise ExpressionError(f"only a list has numbered elements; this is {container}")
        index = ast.unparse(node.slice)
        if not index.removeprefix("-").isdigit():
            raise ExpressionError("the number of an element must be written out, e.g. [0] or [-1]")
        return container.element

    def _call(self, node: ast.Call, variables: dict[str, Kind]) -> Kind:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords or not name:
            raise ExpressionError("a function is called by its name and takes no named arguments")
        if name in REDUCTIONS and len(node.args) > 0 and isinstance(node.args[0], ast.GeneratorExp):
            return self._reduction(name, node, node.args[0], variables)
        if name in FACT_TESTS:
            return self._fact_test(name, node)
        if name in TEXT_TESTS:
            return self._text_test(name, node, variables)
        function = FUNCTIONS.get(name)
        if function is None:
            usage = REDUCTIONS.get(name)
            hint = f"write {usage}" if usage else _suggestion(name, function_names())
            raise ExpressionError(
                f"{name} needs `… for x in …`" if usage else f"no function {name}", hint=hint
            )
        low, high = function.arity
        if not low <= len(node.args) <= high:
            raise ExpressionError(
                f"{name} takes {low if low == high else f'{low} to {high}'} arguments", hint=function.usage
            )
        return function.check([self.kind(argument, variables) for argument in node.args])

    def _reduction(
        self, name: str, node: ast.Call, generator: ast.GeneratorExp, variables: dict[str, Kind]
    ) -> Kind:
        if len(node.args) > 1:
            raise ExpressionError(f"{name} over a generator takes nothing else", hint=REDUCTIONS[name])
        inner = self._loop_variables(generator, variables)
        element = self.kind(generator.elt, inner)
        if name in ("any", "all", "count"):
            if element.base is not Base.BOOLEAN:
                raise ExpressionError(
                    f"{name} needs a test; this is {element}", self._expression.span(generator.elt)
                )
            return NUMBER if name == "count" else BOOLEAN
        if name in ("sum", "max", "min"):
            return common_number([element], name)
        if name == "join" and element.base not in (Base.TEXT, Base.NUMBER):
            raise ExpressionError(f"join needs texts or numbers; this is {element}")
        return TEXT if name == "join" else element.without_literal()

    def _loop_variables(self, generator: ast.GeneratorExp, variables: dict[str, Kind]) -> dict[str, Kind]:
        if len(generator.generators) != 1:
            raise ExpressionError("one `for` at a time")
        loop = generator.generators[0]
        if not isinstance(loop.target, ast.Name) or loop.is_async:
            raise ExpressionError("a loop has one variable: any(… for x in list)")
        container = self.kind(loop.iter, variables)
        if container.base is not Base.LIST or container.element is None:
            raise ExpressionError(
                f"a loop needs a list; this is {container}", self._expression.span(loop.iter)
            )
        inner = {**variables, loop.target.id: container.element}
        for condition in loop.ifs:
            self._require(condition, inner, Base.BOOLEAN, "`if`")
        return inner

    def _fact_test(self, name: str, node: ast.Call) -> Kind:
        fact = dotted_name(node.args[0]) if len(node.args) == 1 else None
        if fact is None:
            raise ExpressionError(f"{name} takes the name of a fact", hint=FACT_TESTS[name])
        self._fact(fact)
        return BOOLEAN

    def _text_test(self, name: str, node: ast.Call, variables: dict[str, Kind]) -> Kind:
        low, high = (2, 20) if name == "mentions" else (2, 2)
        if not low <= len(node.args) <= high:
            raise ExpressionError(f"{name} takes a text and what to look for", hint=TEXT_TESTS[name])
        self._require(node.args[0], variables, Base.TEXT, name)
        for pattern in node.args[1:]:
            literal = self.kind(pattern, variables).literal
            if not isinstance(literal, str) or not literal.strip(" |"):
                raise ExpressionError(
                    "what to look for must be a text written out", self._expression.span(pattern)
                )
            (phrase_pattern if name == "mentions" else regex_pattern)(literal)
        return BOOLEAN

    def _generator(self, _node: ast.GeneratorExp, _variables: dict[str, Kind]) -> Kind:
        raise ExpressionError("`… for x in …` stands only in any, all, count, sum, max, min, first or join")

    def _require(self, node: ast.expr, variables: dict[str, Kind], base: Base, what: str) -> Kind:
        kind = self.kind(node, variables)
        if kind.base is not base:
            raise ExpressionError(f"{what} needs {base.value}; this is {kind}", self._expression.span(node))
        return kind


def _suggestion(word: str, known: Sequence[str], *, otherwise: str = "") -> str:
    prefix, dot, tail = word.rpartition(".")
    siblings = [name.removeprefix(prefix + dot) for name in known if name.rpartition(".")[0] == prefix]
    near = [prefix + dot + name for name in did_you_mean(tail, siblings, limit=1)]
    near = near or did_you_mean(word, known)
    near = near or [name for name in known if name.rpartition(".")[2] == tail][:3]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return otherwise or f"known here: {', '.join(sorted(known)[:8])}{' …' if len(known) > 8 else ''}"


_SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _check_comparison(operator: ast.cmpop, left: Kind, right: Kind) -> None:
    if left.base is not right.base:
        raise ExpressionError(f"{left} is compared with {right}")
    equality = isinstance(operator, ast.Eq | ast.NotEq)
    if left.base is Base.NUMBER:
        if not compatible(left, right):
            raise ExpressionError(f"{left} compared with {right}", hint=_unit_hint(left, right))
    elif left.base in (Base.LIST, Base.RECORD) or not equality:
        raise ExpressionError(f"{left} cannot be compared with {_SIGNS[type(operator)]}")
    _check_choice(left, right)
    _check_choice(right, left)


def _unit_hint(left: Kind, right: Kind) -> str:
    bytes_with_number = {left.dimension.bytes, right.dimension.bytes} == {0, 1}
    if bytes_with_number:
        return "write the size with its unit, e.g. 96 * GiB; bytes(x) makes a count bytes"
    if left.dimension.counted and right.dimension.counted:
        return "convert one of them, e.g. launch.chips * hw.devices_per_chip"
    return "give the number its unit, e.g. 30 * second; number(x) drops a unit"


def _check_membership(item: Kind, container: Kind) -> None:
    if container.base is Base.TEXT and item.base is Base.TEXT:
        return
    if container.base is not Base.LIST or container.element is None:
        raise ExpressionError(f"`in` needs a list or a text on its right; this is {container}")
    if container.element.base is not item.base:
        raise ExpressionError(f"{item} is never in {container}")
    if item.base is Base.NUMBER and not compatible(item, container.element):
        raise ExpressionError(f"{item} looked for among {container.element}")
    _check_choice(container.element, item)
    for literal in container.literal if isinstance(container.literal, tuple) else ():
        _check_choice(item, replace(container.element, literal=literal))


def _check_choice(fact: Kind, literal: Kind) -> None:
    text = literal.literal
    if fact.choices and isinstance(text, str) and text and text not in fact.choices:
        raise ExpressionError(f"{text!r} is not a value of this fact", hint=_suggestion(text, fact.choices))

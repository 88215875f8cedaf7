"""Facts written down in an example: ``hw.hbm = 96 * GiB``, one a line, literals only.

``name = default LITERAL`` is a value that the user did not write.
"""

import ast
from collections.abc import Iterator

from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.schema import FactType, Field, Vocabulary
from tpuguru.facts.value import FactValue, Record, Scalar, Unknown, Value
from tpuguru.rules.language.dimensions import UNIT_NAMES
from tpuguru.rules.language.errors import ExpressionError, Span

_UNKNOWN = "unknown"
_CONTINUED = "..."
_DEFAULT = "default "

type Assignments = dict[str, Value]


def read_assignments(text: str, vocabulary: Vocabulary, before: Assignments) -> Assignments:
    """Read the facts of one example; a first line ``...`` starts from those of the example ``before``.

    Raises:
        ExpressionError: not ``name = literal``, an unknown name, or a value of another type than the fact's.

    """
    values: Assignments = {}
    for number, line in _statements(text):
        if line.strip() == _CONTINUED:
            values = dict(before)
            continue
        name, value = _assignment(line, number, vocabulary)
        values[name] = value
    return values


def facts_from(values: Assignments, vocabulary: Vocabulary) -> Facts:
    """Return the facts: as if written on a command line, those marked ``default`` as if not written."""
    return Facts(values.items(), schema=vocabulary)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, statement); a statement goes on while its brackets are open."""
    pending, start, depth = "", 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        if not pending and (not line.strip() or line.lstrip().startswith("#")):
            continue
        start = start if pending else number
        pending += ("\n" if pending else "") + line
        depth += sum(line.count(mark) for mark in "([{") - sum(line.count(mark) for mark in ")]}")
        if depth <= 0:
            yield start, pending
            pending, depth = "", 0
    if pending:
        yield start, pending


def _assignment(line: str, number: int, vocabulary: Vocabulary) -> tuple[str, Value]:
    name, equals, literal = line.partition("=")
    name = name.strip()
    field = vocabulary.get(name)
    span = Span(number, 1, number, max(len(name), 1) + 1)
    if not equals:
        raise ExpressionError("an example's line is `fact = value`", span)
    if field is None:
        near = did_you_mean(name, vocabulary.names())
        raise ExpressionError(
            f"no fact is called {name}", span, hint=f"did you mean {' or '.join(near)}?" if near else ""
        )
    literal = literal.strip()
    origin = Origin(OriginKind.COMMAND, "example")
    if literal.startswith(_DEFAULT):
        literal, origin = literal.removeprefix(_DEFAULT), Origin(OriginKind.DEFAULT, "example")
    if literal == _UNKNOWN:
        return name, Value(Unknown("not stated in the example"), origin)
    try:
        value = _literal(ast.parse(literal.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(f"{literal[:60]} is not a literal: {error}", span) from None
    return name, Value(_typed(field, value, span), origin)


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.Name(id=name) if name in UNIT_NAMES:
            return UNIT_NAMES[name][0]
        case ast.Name(id="unknown"):
            return Unknown("not stated in the example")
        case ast.UnaryOp() | ast.BinOp():
            return _number(node)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return tuple(_literal(element) for element in elements)
        case ast.Dict(keys=keys, values=values):
            return {
                str(_literal(key)): _literal(value) for key, value in zip(keys, values, strict=True) if key
            }
    raise ValueError(f"{ast.unparse(node)[:40]} is more than a literal")


def _number(node: ast.expr) -> float:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _number(left) * _number(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _number(left) / _number(right)
        case ast.UnaryOp() | ast.BinOp():
            raise ValueError(f"{ast.unparse(node)[:40]} is more than a literal")
    value = _literal(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{ast.unparse(node)[:40]} is not a number")
    return value


def _typed(field: Field, value: object, span: Span) -> FactValue | Unknown:
    if isinstance(value, Unknown):
        return value
    if field.type is FactType.RECORDS:
        return _records(field, value, span)
    element = _ELEMENTS.get(field.type)
    if element is None:
        return _scalar(field, field.type, value, span)
    if not isinstance(value, tuple):
        raise ExpressionError(f"{field.name} is a {field.type}", span)
    return tuple(_scalar(field, element, item, span) for item in value)


_ELEMENTS = {
    FactType.INTEGERS: FactType.INTEGER,
    FactType.NUMBERS: FactType.NUMBER,
    FactType.TEXTS: FactType.TEXT,
}


def _scalar(field: Field, kind: FactType, value: object, span: Span) -> Scalar:
    allowed: dict[FactType, type | tuple[type, ...]] = {
        FactType.BOOLEAN: bool,
        FactType.INTEGER: int,
        FactType.NUMBER: (int, float),
        FactType.TEXT: str,
    }
    # Sizes are written as 5.87 * GiB; a byte more or less does not matter in an example.
    whole = round(value) if kind is FactType.INTEGER and isinstance(value, float) else value
    if not isinstance(whole, allowed[kind]) or (isinstance(whole, bool) and kind is not FactType.BOOLEAN):
        raise ExpressionError(f"{field.name} is a {field.type}, not {value!r}", span)
    if field.choices and isinstance(whole, str) and whole and whole not in field.choices:
        raise ExpressionError(f"{field.name} is never {whole!r}; one of {', '.join(field.choices)}", span)
    return whole  # type: ignore[return-value]


def _records(field: Field, value: object, span: Span) -> tuple[Record, ...]:
    if not isinstance(value, tuple) or not all(isinstance(item, dict) for item in value):
        raise ExpressionError(f"{field.name} is a {field.type}: [{{…}}, …]", span)
    fields = {inner.name.rpartition(".")[2]: inner for inner in field.fields}
    return tuple(_record(item, fields, span) for item in value)


def _record(item: object, fields: dict[str, Field], span: Span) -> Record:
    record: dict[str, Scalar | Unknown] = {}
    for key, value in item.items() if isinstance(item, dict) else ():
        if key not in fields:
            raise ExpressionError(f"no field {key}; fields: {', '.join(fields)}", span)
        record[key] = (
            value if isinstance(value, Unknown) else _scalar(fields[key], fields[key].type, value, span)
        )
    return record

"""Texts that compute: ``saves {a - b} per GPU``. A line with an unknown value is left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.facts.schema import Vocabulary
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.dimensions import PLAIN, Dimension, format_quantity
from tpuguru.rules.language.errors import ExpressionError, Span
from tpuguru.rules.language.kinds import Base
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.parser import Expression, parse_expression
from tpuguru.rules.language.scope import Scope

_FORMAT = re.compile(r"[<>=^]?[+-]?\d{0,3},?(?:\.\d{1,2})?[dfgeE%]?")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A ``{expression:format}`` of a template, with its line and column there."""

    expression: Expression
    format: str
    line: int
    column: int


type Part = str | Placeholder


def parse_template(text: str) -> list[list[Part]]:
    """Split a template into lines of literal text and placeholders.

    Raises:
        ExpressionError: a brace that does not close, or an expression that cannot be read; the span is the
            template's.

    """
    return [_parse_line(line, number) for number, line in enumerate(text.split("\n"), 1)]


def check_template(text: str, vocabulary: Vocabulary) -> None:
    """Type-check every placeholder. ExpressionError with the span in the template."""
    for line in parse_template(text):
        for part in line:
            if isinstance(part, Placeholder):
                _check_placeholder(part, vocabulary)


def render_template(text: str, scope: Scope) -> str:
    """Fill in a template that has been checked. Lines that hold an unknown value are left out.

    When that would leave nothing, the lines stay and say ``unknown (needs …)`` in place of the value.
    """
    lines = parse_template(text)
    rendered = [_render_line(line, scope, keep_unknown=False) for line in lines]
    kept = [line for line in rendered if line is not None]
    if not "".join(kept).strip():
        kept = [_render_line(line, scope, keep_unknown=True) or "" for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _check_placeholder(part: Placeholder, vocabulary: Vocabulary) -> None:
    try:
        kind = check_expression(part.expression, vocabulary)
        if kind.base in (Base.LIST, Base.RECORD, Base.BOOLEAN):
            raise ExpressionError(f"a template shows texts and numbers; this is {kind}")
    except ExpressionError as error:
        raise ExpressionError(error.message, _shift(error.span, part), hint=error.hint) from None


def _shift(span: Span | None, part: Placeholder) -> Span:
    if span is None:
        width = len(part.expression.text)
        return Span(part.line, part.column, part.line, part.column + width)
    offset = part.column - 1
    return Span(part.line, span.column + offset, part.line, span.end_column + offset)


def _parse_line(line: str, number: int) -> list[Part]:
    parts: list[Part] = []
    literal = ""
    position = 0
    while position < len(line):
        character = line[position]
        if character in "{}" and line[position + 1 : position + 2] == character:
            literal += character
            position += 2
        elif character == "}":
            raise ExpressionError(
                "a } without its {; write }} for the character",
                Span(number, position + 1, number, position + 2),
            )
        elif character == "{":
            end = _closing_brace(line, position, number)
            parts += [literal, _placeholder(line[position + 1 : end], number, position + 2)]
            literal, position = "", end + 1
        else:
            literal += character
            position += 1
    return [*parts, literal]


def _closing_brace(line: str, start: int, number: int) -> int:
    for position, _ in _outside_quotes(line, start + 1):
        if line[position] == "}":
            return position
    raise ExpressionError(
        "a { that does not close on its line; write {{ for the character",
        Span(number, start + 1, number, start + 2),
    )


def _outside_quotes(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield (position, bracket depth) of the characters from ``start`` that are in no quotes."""
    quote, depth = "", 0
    for position in range(start, len(text)):
        character = text[position]
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
            continue
        depth += (character in "([") - (character in ")]")
        yield position, depth


def _placeholder(text: str, line: int, column: int) -> Placeholder:
    colon = next((at for at, depth in _outside_quotes(text, 0) if text[at] == ":" and depth == 0), len(text))
    source, style = text[:colon], text[colon + 1 :]
    if not _FORMAT.fullmatch(style):
        at = column + colon + 1
        raise ExpressionError(f"{style!r} is not a number format", Span(line, at, line, at + len(style)))
    lead = len(source) - len(source.lstrip())
    try:
        return Placeholder(parse_expression(source.strip()), style, line, column + lead)
    except ExpressionError as error:
        offset = column + lead - 1
        span = error.span or Span(1, 1, 1, max(len(source.strip()), 1) + 1)
        raise ExpressionError(
            error.message, Span(line, span.column + offset, line, span.end_column + offset), hint=error.hint
        ) from None


def _render_line(line: list[Part], scope: Scope, *, keep_unknown: bool) -> str | None:
    texts: list[str] = []
    for part in line:
        if isinstance(part, str):
            texts.append(part)
            continue
        value = compile_node(part.expression.tree)(scope)
        if isinstance(value, Missing):
            if not keep_unknown:
                return None
            names = ", ".join(fact.name or fact.reason for fact in value.facts)
            texts.append(f"unknown (needs {names})")
        else:
            texts.append(_show(value, part, scope))
    return "".join(texts)


def _show(value: object, part: Placeholder, scope: Scope) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if part.format:
        return format(value, part.format)
    return format_quantity(value, _dimension(part, scope))


def _dimension(part: Placeholder, scope: Scope) -> Dimension:
    kind = check_expression(part.expression, scope.facts.schema)
    return kind.dimension if kind.base is Base.NUMBER else PLAIN

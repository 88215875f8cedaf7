"""``[ … ]`` and ``[[ … ]]``: evaluated where the paste settles them, assumed where it does not."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.outcome import Choice, Outcome
from tpuguru.launch.shell.patterns import Pattern
from tpuguru.launch.shell.words import Expander
from tpuguru.launch.source import Source, Traced

if TYPE_CHECKING:
    from tree_sitter import Node

    from tpuguru.launch.shell.interpreter import Shell

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_TEXT_OPERATORS = ("=", "==", "!=", "<", ">", "=~")
_MACHINE = re.compile(r"-[abcdefghkprstuwxGLNOS]")
_COMPOSITE = ("binary_expression", "unary_expression", "parenthesized_expression", "negated_command")
_REFERENCE = re.compile(r"\$\{?([A-Za-z_]\w*|[1-9])(?:[:=,-][^}]*)?\}?")
_LONGEST_MATCHED = 200


@dataclass(frozen=True, slots=True)
class Token:
    """An operator or operand of a test, by its place in the source."""

    start: int
    end: int
    text: str
    value: Traced | None = None  # for ``test``, whose operands were expanded as words already


def tokens_of(node: "Node", source: Source) -> list[Token]:
    """Return the operators and operands of a ``test_command`` in the order written, brackets left out."""
    found: list[Token] = []
    pending = list(reversed(node.children))
    while pending:
        child = pending.pop()
        if child.type in _COMPOSITE or child.type == "ERROR":
            pending.extend(reversed(child.children))
        elif child.type not in ("[", "]", "[[", "]]"):
            start, end = source.character(child.start_byte), source.character(child.end_byte)
            found.append(Token(start, end, source.text[start:end]))
    return found


class Condition:
    """Recursive descent over the tokens of one test; ``||`` binds weaker than ``&&``, ``!`` strongest."""

    def __init__(self, shell: "Shell", source: Source, tokens: list[Token]) -> None:
        """Prepare; the shell's state is read, never changed (but for ``${V:=d}``)."""
        self.shell, self.source, self.tokens = shell, source, tokens
        self.position = 0

    def evaluate(self) -> Outcome:
        """Return the outcome of the whole test."""
        if not self.tokens:
            return Outcome(ok=False)
        return self._any()

    def _peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.tokens[index].text if index < len(self.tokens) else ""

    def _any(self) -> Outcome:
        left = self._all()
        while self._peek() in ("||", "-o"):
            self.position += 1
            right = self._all()
            left = left.both(right, ok=left.ok or right.ok)
        return left

    def _all(self) -> Outcome:
        left = self._one()
        while self._peek() in ("&&", "-a"):
            self.position += 1
            right = self._one()
            left = left.both(right, ok=left.ok and right.ok)
        return left

    def _one(self) -> Outcome:
        negations = 0
        while self._peek() == "!" and self.position + 1 < len(self.tokens):
            self.position += 1
            negations += 1
        outcome = self._primary()
        return outcome.negated() if negations % 2 else outcome

    def _primary(self) -> Outcome:
        if self._peek() == "(" and self.shell.enter():
            self.position += 1
            outcome = self._any()
            self.position += self._peek() == ")"
            self.shell.leave()
            return outcome
        operator = self._peek(1)
        if operator in _TEXT_OPERATORS or operator in _COMPARE:
            left, right = self.tokens[self.position], self._at(self.position + 2)
            self.position += 3
            return self._binary(left, operator, right)
        if re.fullmatch(r"-[a-zA-Z]", self._peek()) and self._peek(1) not in (
            "",
            "&&",
            "||",
            ")",
            "-a",
            "-o",
        ):
            operator, operand = self._peek(), self.tokens[self.position + 1]
            self.position += 2
            return self._unary(operator, operand)
        token = self._at(self.position)
        self.position += 1
        return self._non_empty(token)

    def _at(self, index: int) -> Token:
        return self.tokens[index] if index < len(self.tokens) else Token(0, 0, "")

    def _text(self, token: Token) -> tuple[str | Unknown, frozenset[str]]:
        if token.value is not None:
            unset = {name for name in token.value.assumes if isinstance(token.value.text, Unknown)}
            return ("" if unset else token.value.text), token.value.assumes
        expander = Expander(self.shell, self.source, unset_is_empty=True)
        value = expander.single(token.start, token.end)
        return value.text, value.assumes

    def _non_empty(self, token: Token) -> Outcome:
        text, assumes = self._text(token)
        if isinstance(text, Unknown):
            return Outcome(ok=True, assumes=assumes, guess=text.reason)
        return Outcome(ok=text != "", assumes=assumes)

    def _unary(self, operator: str, operand: Token) -> Outcome:
        if operator == "-n":
            return self._non_empty(operand)
        if operator == "-z":
            return self._non_empty(operand).negated()
        if operator == "-v":
            text, _ = self._text(operand)
            known = not isinstance(text, Unknown) and self.shell.is_set(text)
            assumes: frozenset[str] = frozenset() if known or isinstance(text, Unknown) else frozenset({text})
            return Outcome(ok=known, assumes=assumes)
        if _MACHINE.fullmatch(operator):
            return Outcome(ok=True, guess=f"{operator} {operand.text} asks the machine")
        return Outcome(ok=True, guess=f"{operator} is not known")

    def _binary(self, left: Token, operator: str, right: Token) -> Outcome:
        if operator in _COMPARE:
            return self._numbers(left, operator, right)
        text, assumes = self._text(left)
        if operator == "=~":
            return self._regular_expression(text, right, assumes)
        pattern, more, literal = self._right_side(right)
        assumes |= more
        if isinstance(text, Unknown) or pattern is None:
            reason = text.reason if isinstance(text, Unknown) else "the right side is not known"
            return Outcome(ok=operator == "!=", assumes=assumes, guess=reason)
        if operator in ("<", ">"):
            return Outcome(ok=(text < literal) if operator == "<" else (text > literal), assumes=assumes)
        ok = pattern.matches(text) == (operator != "!=")
        return Outcome(ok, assumes, choices_of(left, assumes, text, (literal,)))

    def _right_side(self, token: Token) -> tuple[Pattern | None, frozenset[str], str]:
        """Return the pattern, its assumptions, and a text that matches it («y» for ``y*``)."""
        if token.value is not None:
            text = token.value.text
            if isinstance(text, Unknown):
                return None, token.value.assumes, ""
            return Pattern(text, [True] * len(text)), token.value.assumes, text
        expander = Expander(self.shell, self.source, unset_is_empty=True)
        pattern = expander.pattern(token.start, token.end)
        return pattern, frozenset(expander.assumes), example(pattern)

    def _numbers(self, left: Token, operator: str, right: Token) -> Outcome:
        values, assumes = [], frozenset[str]()
        for token in (left, right):
            text, more = self._text(token)
            assumes |= more
            try:
                if isinstance(text, Unknown):
                    return Outcome(ok=True, assumes=assumes, guess=text.reason)
                values.append(self.shell.compute(text or "0"))
            except NotComputableError:
                return Outcome(ok=False, assumes=assumes, guess=f"{token.text} is no number")
        return Outcome(_COMPARE[operator](values[0], values[1]), assumes)

    def _regular_expression(self, text: str | Unknown, right: Token, assumes: frozenset[str]) -> Outcome:
        """Match only expressions that cannot take exponential time: no groups, short text."""
        expression, more = self._text(right)
        assumes |= more
        if isinstance(text, Unknown) or isinstance(expression, Unknown) or "(" in expression:
            return Outcome(ok=True, assumes=assumes, guess="a regular expression that was not evaluated")
        try:
            if len(text) > _LONGEST_MATCHED or sum(map(expression.count, "*+?{")) > 3:
                raise re.error("too costly")
            return Outcome(re.search(expression, text) is not None, assumes)
        except re.error:
            return Outcome(ok=True, assumes=assumes, guess="a regular expression that was not evaluated")


def choices_of(
    token: Token, assumes: frozenset[str], now: str | Unknown, values: tuple[str, ...]
) -> tuple[Choice, ...]:
    """Return the variants of a test on one variable whose value was assumed; none for anything else."""
    match = _REFERENCE.fullmatch(token.text.strip('"'))
    if match is None or not assumes:
        return ()
    shown = "" if isinstance(now, Unknown) else now
    return tuple(Choice(match.group(1), value, shown) for value in values if value and value != shown)


def example(pattern: Pattern | None) -> str:
    """Return a text that the pattern matches, or an empty one when that takes thought."""
    if pattern is None:
        return ""
    if pattern.literal:
        return pattern.text
    head = [token for token in pattern.tokens if token is not None]
    text = "".join(token.characters for token in head if len(token.characters) == 1 and not token.negated)
    return text if text and pattern.matches(text) else ""

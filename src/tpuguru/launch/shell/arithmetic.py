"""Bash arithmetic: integers, variables, assignments; bounded, and unknown when a part is."""

import operator
import re
from collections.abc import Callable
from typing import Protocol

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>\*\*|<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>=!~&|^?:(),\[\]]))"
)
_LIMIT = 2**63
_DEEPEST = 100


class NotComputableError(Exception):
    """The expression needs something that is not known, or is no arithmetic."""


class Variables(Protocol):
    """What an expression reads and assigns."""

    def number(self, name: str, index: int | None) -> int:
        """Return a variable's integer value; NotComputableError when it is unknown."""

    def assign(self, name: str, index: int | None, value: int) -> None:
        """Set a variable."""


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise NotComputableError("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - right * _divide(left, right)


def _power(left: int, right: int) -> int:
    if right < 0 or right > 63:
        raise NotComputableError("exponent out of range")
    return int(left**right)


def _shift(left: int, right: int, direction: Callable[[int, int], int]) -> int:
    if not 0 <= right < 64:
        raise NotComputableError("shift out of range")
    return direction(left, right)


_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "|": (3, operator.or_),
    "^": (4, operator.xor),
    "&": (5, operator.and_),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: _shift(a, b, operator.lshift)),
    ">>": (8, lambda a, b: _shift(a, b, operator.rshift)),
    "+": (9, operator.add),
    "-": (9, operator.sub),
    "*": (10, operator.mul),
    "/": (10, _divide),
    "%": (10, _remainder),
    "**": (11, _power),
}
_LOGICAL = {"||": 1, "&&": 2}
_ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="}


def evaluate(text: str, variables: Variables) -> int:
    """Return the value of a bash arithmetic expression. NotComputableError when it has none."""
    return _Parser(text, variables).whole()


class _Parser:
    """Precedence climbing over the tokens; evaluates while it parses."""

    def __init__(self, text: str, variables: Variables) -> None:
        self.tokens = _tokenise(text)
        self.position = 0
        self.depth = 0
        self.skipping = 0  # inside a branch that && || ?: does not take: no assignment happens
        self.variables = variables

    def whole(self) -> int:
        value = 0
        while self.position < len(self.tokens):
            value = self.ternary()
            if self._peek() == ",":
                self.position += 1
            elif self.position < len(self.tokens):
                raise NotComputableError("not an arithmetic expression")
        return value

    def ternary(self) -> int:
        condition = self.binary(1)
        if self._peek() != "?":
            return condition
        self.position += 1
        chosen = self._branch(self.ternary, taken=bool(condition))
        self._expect(":")
        other = self._branch(self.ternary, taken=not condition)
        return chosen if condition else other

    def binary(self, lowest: int) -> int:
        left = self.unary()
        while (symbol := self._peek()) in _BINARY or symbol in _LOGICAL:
            precedence = _LOGICAL[symbol] if symbol in _LOGICAL else _BINARY[symbol][0]
            if precedence < lowest:
                break
            self.position += 1
            following = precedence if symbol == "**" else precedence + 1
            if symbol in _LOGICAL:
                needed = bool(left) == (symbol == "&&")
                right = self._branch(lambda level=following: self.binary(level), taken=needed)  # type: ignore[misc]
                left = int(bool(right)) if needed else int(bool(left))
            else:
                left = self._bounded(_BINARY[symbol][1], left, self.binary(following))
        return left

    def unary(self) -> int:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotComputableError("nested too deep")
        try:
            symbol = self._next()
            if symbol in ("-", "+", "!", "~"):
                value = self.unary()
                return {"-": -value, "+": value, "!": int(not value), "~": ~value}[symbol]
            if symbol in ("++", "--"):
                name, index = self._target(self._next())
                return self._store(name, index, self._read(name, index) + (1 if symbol == "++" else -1))
            if symbol == "(":
                value = self.ternary()
                self._expect(")")
                return value
            return self._primary(symbol)
        finally:
            self.depth -= 1

    def _primary(self, symbol: str) -> int:
        if symbol[0].isdigit():
            return _literal(symbol)
        if not (symbol[0].isalpha() or symbol[0] == "_"):
            raise NotComputableError(f"unexpected {symbol}")
        name, index = self._target(symbol)
        following = self._peek()
        if following in ("++", "--"):
            self.position += 1
            value = self._read(name, index)
            self._store(name, index, value + (1 if following == "++" else -1))
            return value
        if following in _ASSIGNING:
            self.position += 1
            value = self.ternary()
            if following != "=":
                value = self._bounded(_BINARY[following[:-1]][1], self._read(name, index), value)
            return self._store(name, index, value)
        return self._read(name, index)

    def _target(self, name: str) -> tuple[str, int | None]:
        if self._peek() != "[":
            return name, None
        self.position += 1
        index = self.ternary()
        self._expect("]")
        return name, index

    def _branch(self, parse: Callable[[], int], *, taken: bool) -> int:
        self.skipping += not taken
        try:
            return parse()
        finally:
            self.skipping -= not taken

    def _read(self, name: str, index: int | None) -> int:
        return 0 if self.skipping else self.variables.number(name, index)

    def _store(self, name: str, index: int | None, value: int) -> int:
        if not self.skipping:
            self.variables.assign(name, index, value)
        return value

    def _bounded(self, compute: Callable[[int, int], int], left: int, right: int) -> int:
        if self.skipping:
            return 0
        value = compute(left, right)
        if not -_LIMIT <= value < _LIMIT:
            raise NotComputableError("overflow")
        return value

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _next(self) -> str:
        symbol = self._peek()
        if not symbol:
            raise NotComputableError("ends too early")
        self.position += 1
        return symbol

    def _expect(self, symbol: str) -> None:
        if self._next() != symbol:
            raise NotComputableError(f"{symbol} expected")


def _tokenise(text: str) -> list[str]:
    tokens = []
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotComputableError("not an arithmetic expression")
        tokens.append(match.group().strip())
        position = match.end()
    return tokens


def _literal(text: str) -> int:
    try:
        if "#" in text:
            base, digits = text.split("#", 1)
            return int(digits, int(base))
        if text[:2].lower() == "0x":
            return int(text, 16)
        return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text[:40])
    except ValueError:
        raise NotComputableError(f"{text[:40]} is no number") from None

"""Bash's glob patterns, matched in bounded time."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class _One:
    """One character: a literal one, any (``characters`` empty and negated), or one of a set."""

    characters: str
    negated: bool = False

    def accepts(self, character: str) -> bool:
        return (character in self.characters) != self.negated


_ANY = _One("", negated=True)


class Pattern:
    """A glob pattern as bash reads it in ``case``, ``[[ == ]]`` and ``${V#…}``."""

    def __init__(self, text: str, quoted: Iterable[bool] = ()) -> None:
        """Read the pattern; characters marked quoted stand for themselves."""
        marks = list(quoted) or [False] * len(text)
        self.tokens = _tokens(text, marks)
        self.literal = all(isinstance(token, _One) and _is_literal(token) for token in self.tokens)
        self.text = (
            "".join(token.characters for token in self.tokens if token is not None) if self.literal else ""
        )

    def ends(self, text: str, start: int = 0) -> list[int]:
        """Return every position where a match that begins at ``start`` may end, ascending."""
        states = self._closure({0})
        found = [start] if len(self.tokens) in states else []
        for position in range(start, len(text)):
            states = self._step(states, text[position])
            if not states:
                break
            if len(self.tokens) in states:
                found.append(position + 1)
        return found

    def matches(self, text: str) -> bool:
        """Tell whether the whole text matches."""
        if self.literal:
            return text == self.text
        ends = self.ends(text)
        return bool(ends) and ends[-1] == len(text)

    def _closure(self, states: set[int]) -> set[int]:
        result = set(states)
        for state in states:
            following = state
            while following < len(self.tokens) and self.tokens[following] is None:
                following += 1
                result.add(following)
        return result

    def _step(self, states: set[int], character: str) -> set[int]:
        moved: set[int] = set()
        for state in states:
            if state == len(self.tokens):
                continue
            token = self.tokens[state]
            if token is None:
                moved.add(state)
            elif token.accepts(character):
                moved.add(state + 1)
        return self._closure(moved)


def _is_literal(token: _One) -> bool:
    return len(token.characters) == 1 and not token.negated


def _tokens(text: str, quoted: list[bool]) -> list[_One | None]:
    """Return one entry a pattern element; None is ``*``."""
    tokens: list[_One | None] = []
    position = 0
    while position < len(text):
        character = text[position]
        if quoted[position]:
            tokens.append(_One(character))
        elif character == "*":
            if not tokens or tokens[-1] is not None:
                tokens.append(None)
        elif character == "?":
            tokens.append(_ANY)
        elif character == "\\" and position + 1 < len(text):
            position += 1
            tokens.append(_One(text[position]))
        elif character == "[" and (close := text.find("]", position + 2)) > 0:
            tokens.append(_bracket(text[position + 1 : close]))
            position = close
        else:
            tokens.append(_One(character))
        position += 1
    return tokens


@lru_cache(maxsize=64)
def _bracket(body: str) -> _One:
    negated = body[:1] in ("!", "^")
    body = body[1:] if negated else body
    for name, members in (
        ("[:digit:", "0123456789"),
        ("[:alpha:", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("[:space:", " \t\n\r\f\v"),
    ):
        body = body.replace(name, members)
    characters = ""
    position = 0
    while position < len(body):
        if position + 2 < len(body) and body[position + 1] == "-":
            first, last = ord(body[position]), min(ord(body[position + 2]), ord(body[position]) + 255)
            characters += "".join(chr(code) for code in range(first, last + 1))
            position += 3
        else:
            characters += body[position]
            position += 1
    return _One(characters, negated)

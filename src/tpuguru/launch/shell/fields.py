"""Fragments of an expanded word, and how they become words: splitting at unquoted white space."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.patterns import Pattern
from tpuguru.launch.source import Piece, Traced


class Kind(Enum):
    """How a fragment takes part in field splitting."""

    LITERAL = "literal"
    QUOTED = "quoted"
    SPLIT = "split"  # the result of an unquoted expansion: white space in it separates words
    BREAK = "break"  # the boundary between two elements of "${A[@]}"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of an expanded word; ``element`` is the array element it is the whole of."""

    kind: Kind
    piece: Piece | None = None
    element: Traced | None = None


def pattern_of(fragments: Iterable[Fragment]) -> Pattern | None:
    """Return the glob pattern that fragments make, quoted characters literal; None when one is unknown."""
    text, quoted = "", []
    for fragment in fragments:
        if fragment.piece is None:
            continue
        if isinstance(fragment.piece.text, Unknown):
            return None
        text += fragment.piece.text
        quoted.extend([fragment.kind is Kind.QUOTED] * len(fragment.piece.text))
    return Pattern(text, quoted)


class _Words:
    """Collects pieces into words."""

    def __init__(self) -> None:
        self.words: list[Traced] = []
        self.pieces: list[Piece] = []
        self.open = False
        self.element: Traced | None = None
        self.only_element = False

    def close(self) -> None:
        if self.open:
            if self.only_element and self.element is not None:
                self.words.append(self.element)
            else:
                kept = [piece for piece in self.pieces if isinstance(piece.text, Unknown) or piece.text]
                self.words.append(Traced(tuple(kept or self.pieces[:1])))
        self.pieces, self.open, self.element, self.only_element = [], False, None, False

    def add(self, fragment: Fragment, remaining: int) -> int:
        """Add a fragment; returns how many following fragments belong to the same element."""
        if fragment.element is not None:
            remaining = max(len(fragment.element.pieces) - 1, 0)
            self.only_element = not self.open
            self.element = fragment.element
        elif remaining:
            remaining -= 1
        else:
            self.only_element = False
        self.open = True
        if fragment.piece is not None:
            self.pieces.append(fragment.piece)
        return remaining


def split_fields(fragments: list[Fragment]) -> list[Traced]:
    """Split fragments into words, as bash does after expansion."""
    words = _Words()
    remaining = 0
    for fragment in fragments:
        if fragment.kind is Kind.BREAK:
            words.close()
        elif fragment.kind is Kind.SPLIT and fragment.piece and isinstance(fragment.piece.text, str):
            _split_into(words, fragment.piece)
            remaining = 0
        else:
            remaining = words.add(fragment, remaining)
    words.close()
    return words.words


def _split_into(words: _Words, piece: Piece) -> None:
    text = str(piece.text)
    position = 0
    for match in re.finditer(r"\S+", text):
        if match.start() > position or (position == 0 and match.start() > 0):
            words.close()
        words.add(Fragment(Kind.QUOTED, piece.part(match.start(), match.end())), 0)
        position = match.end()
    if position < len(text):
        words.close()

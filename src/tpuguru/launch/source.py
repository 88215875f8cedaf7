"""Texts and where each of their characters was written, through quotes, variables and wrappers."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown

if TYPE_CHECKING:
    from tree_sitter import Node

# Stands for an unknown part when a text is read again as a script; a noncharacter never occurs in a paste.
PLACEHOLDER = "\ufdd0"

_WIDE = re.compile(r"[^\x00-\x7f]")


class Source:
    """A text as pasted, or a file it names."""

    def __init__(self, path: str, text: str) -> None:
        """Keep the text; positions are character offsets into it."""
        self.path = path
        self.text = text
        self.tree: Node | None = None  # the syntax tree, once it was parsed as a script

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def data(self) -> bytes:
        """The text as UTF-8, which is what the parser reads."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """Byte offset after each non-ASCII character, and the bytes in excess of characters up to there."""
        ends, excesses, excess = [], [], 0
        for match in _WIDE.finditer(self.text):
            excess += len(match.group().encode("utf-8", "surrogatepass")) - 1
            ends.append(match.end() + excess)
            excesses.append(excess)
        return ends, excesses

    def character(self, byte: int) -> int:
        """Return the character offset of a byte offset."""
        if len(self.data) == len(self.text):
            return byte
        ends, excesses = self._wide
        index = bisect_right(ends, byte)
        return byte - (excesses[index - 1] if index else 0)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def location(self, start: int, end: int) -> Location:
        """Return the place of the characters from ``start`` to ``end``."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(end, start))
        return Location(self.path, line, column, end_line, end_column)

    def unknown(self, offset: int) -> Unknown | None:
        """Return the unknown value that the character at ``offset`` stands for, if it does."""
        del offset
        return None


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text and where it was written; ``verbatim`` when it stands there character by character."""

    text: str | Unknown
    source: Source
    start: int
    end: int
    verbatim: bool = True
    filled_in: bool = False

    def location(self) -> Location:
        """Return where the piece was written."""
        return self.source.location(self.start, self.end)

    def part(self, start: int, end: int) -> "Piece":
        """Return the characters from ``start`` to ``end`` of a known piece."""
        assert isinstance(self.text, str)  # noqa: S101 - callers split known text only
        text = self.text[start:end]
        if not self.verbatim:
            return replace(self, text=text)
        return replace(self, text=text, start=self.start + start, end=self.start + end)


@dataclass(frozen=True, slots=True)
class Traced:
    """A text made of pieces, with the names whose absence from the paste it rests on.

    ``site`` is where it stands as one word (an array element, a YAML scalar), ``raw`` how it is spelled.
    """

    pieces: tuple[Piece, ...] = ()
    assumes: frozenset[str] = frozenset()
    site: Location | None = None
    raw: str = ""
    _text: list[str | Unknown] = field(default_factory=list, compare=False, repr=False)

    @property
    def text(self) -> str | Unknown:
        """The whole text, or the first unknown in it."""
        if not self._text:
            unknown = next((piece.text for piece in self.pieces if isinstance(piece.text, Unknown)), None)
            self._text.append(unknown or "".join(str(piece.text) for piece in self.pieces))
        return self._text[0]

    @property
    def shown(self) -> str:
        """The text for people, with ``…`` for each unknown part."""
        return "".join("…" if isinstance(piece.text, Unknown) else piece.text for piece in self.pieces)

    @property
    def filled_in(self) -> bool:
        """Whether any part was put there by tpuguru or its user's options."""
        return any(piece.filled_in for piece in self.pieces)

    def location(self) -> Location | None:
        """Return where the first piece was written, widened to the last one of the same file."""
        if not self.pieces:
            return self.site
        first, last = self.pieces[0].location(), self.pieces[-1].location()
        if last.path != first.path or (last.end_line, last.end_column) < (first.line, first.column):
            last = first
        return replace(first, end_line=last.end_line, end_column=last.end_column)

    def partition(self, separator: str) -> tuple[str, "Traced"] | None:
        """Split at the first ``separator`` when everything before it is known."""
        head = ""
        for index, piece in enumerate(self.pieces):
            if isinstance(piece.text, Unknown):
                return None
            at = piece.text.find(separator)
            if at >= 0:
                rest = piece.part(at + len(separator), len(piece.text))
                tail = (rest, *self.pieces[index + 1 :]) if rest.text else self.pieces[index + 1 :]
                return head + piece.text[:at], Traced(tail, self.assumes)
            head += piece.text
        return None

    def split(self) -> "Iterator[Traced]":
        """Yield the words between white space; an unknown part is a word character."""
        current: list[Piece] = []
        for piece in self.pieces:
            if isinstance(piece.text, Unknown):
                current.append(piece)
                continue
            position = 0
            for match in re.finditer(r"\S+", piece.text):
                if match.start() > position and current:
                    yield Traced(tuple(current), self.assumes)
                    current = []
                current.append(piece.part(match.start(), match.end()))
                position = match.end()
            if position < len(piece.text) and current:
                yield Traced(tuple(current), self.assumes)
                current = []
        if current:
            yield Traced(tuple(current), self.assumes)


def join(parts: Iterable[Traced], separator: Piece | None = None) -> Traced:
    """Concatenate, with ``separator`` between the parts."""
    pieces: list[Piece] = []
    assumes: frozenset[str] = frozenset()
    for index, part in enumerate(parts):
        if index and separator is not None:
            pieces.append(separator)
        pieces.extend(part.pieces)
        assumes |= part.assumes
    return Traced(tuple(pieces), assumes)


class EmbeddedSource(Source):
    """A text that is read again: the string of ``bash -c``, a heredoc, a YAML scalar."""

    def __init__(self, traced: Traced, path: str = "") -> None:
        """Lay the pieces one after the other; an unknown one becomes a placeholder character."""
        self._pieces = traced.pieces
        self.starts: list[int] = []
        texts: list[str] = []
        offset = 0
        for piece in traced.pieces:
            text = PLACEHOLDER if isinstance(piece.text, Unknown) else piece.text
            self.starts.append(offset)
            texts.append(text)
            offset += len(text)
        super().__init__(path or (traced.pieces[0].source.path if traced.pieces else ""), "".join(texts))

    def _piece(self, offset: int) -> tuple[Piece, int] | None:
        index = bisect_right(self.starts, offset) - 1
        if index < 0:
            return None
        return self._pieces[index], offset - self.starts[index]

    def location(self, start: int, end: int) -> Location:
        """Return the place in the outermost file of the characters from ``start`` to ``end``."""
        first = self._at(start)
        last = self._at(max(end - 1, start))
        if last.path != first.path or (last.line, last.column) < (first.line, first.column):
            last = first
        return replace(first, end_line=last.end_line, end_column=last.end_column)

    def _at(self, offset: int) -> Location:
        found = self._piece(offset)
        if found is None:
            return Location(self.path, 1, 1, 1, 1)
        piece, inside = found
        if not piece.verbatim:
            return piece.location()
        at = min(piece.start + inside, piece.end)
        return piece.source.location(at, min(at + 1, piece.end))

    def unknown(self, offset: int) -> Unknown | None:
        """Return the unknown value that the placeholder at ``offset`` stands for."""
        found = self._piece(offset)
        if found is None or isinstance(found[0].text, str):
            return None
        return found[0].text

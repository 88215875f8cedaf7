"""Cut text into search terms: stemmed words, identifiers whole and in parts, and Han bigrams."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tpuguru.knowledge.stemmer import stem

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
MAXIMUM_CHARACTERS = 20_000  # of a question: more is a log, and that is for `tpuguru diagnose`


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a run of Han characters with its place in the text; ``terms`` are what the index holds."""

    text: str
    start: int
    terms: tuple[str, ...]
    han: bool = False

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"(?P<han>[{_HAN}]+)|[A-Za-z0-9]+(?:[._\-/][A-Za-z0-9]+)*")


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{_HAN}]")


def tokens(text: str) -> list[Token]:
    """Return the tokens of ``text`` in order."""
    return [_token(match) for match in _pattern().finditer(text)]


def terms(text: str) -> list[str]:
    """Return the index terms of ``text`` in order, with repeats."""
    return [term for token in tokens(text) for term in token.terms]


def is_han(text: str) -> bool:
    """Return whether ``text`` holds a Han character."""
    return _han().search(text) is not None


def bigrams(run: str) -> tuple[str, ...]:
    """Return the overlapping pairs of a run of Han characters; a single character stands alone."""
    return tuple(run[index : index + 2] for index in range(len(run) - 1)) or (run,)


def _token(match: re.Match[str]) -> Token:
    text = match.group()
    if match.lastgroup == "han":
        return Token(text, match.start(), bigrams(text), han=True)
    return Token(text, match.start(), _word_terms(text))


@cache
def _word_terms(text: str) -> tuple[str, ...]:
    """Return an identifier whole (separators as ``_``) and its parts; a plain word's stem.

    A number such as 0.3118 has no parts: its digits mean nothing alone.
    """
    parts = [part for part, _, _ in word_parts(text)]
    if len(parts) == 1:
        return (parts[0],)
    whole = "_".join(re.split(r"[._\-/]", text)).lower()
    return (whole,) if is_number(whole) else (whole, *parts)


def is_number(term: str) -> bool:
    """Return whether a term is a number, a version or a range: digits and separators only."""
    return term.replace("_", "").isdigit()


@cache
def word_parts(text: str) -> tuple[tuple[str, int, int], ...]:
    """Return the stems of a word's parts (split at separators and inner capitals) with their places in it."""
    return tuple(
        (stem(part.group().lower()), piece.start() + part.start(), piece.start() + part.end())
        for piece in re.finditer(r"[A-Za-z0-9]+", text)
        for part in _camel_parts(piece.group())
    )


def _camel_parts(piece: str) -> Iterator[re.Match[str]]:
    mixed = not piece.isupper() and re.search(r"[a-z][A-Z]", piece)
    return re.finditer(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+" if mixed else r".+", piece)


def is_code(text: str) -> bool:
    """Return whether a word looks like a name in code: with ``_``, inner capitals, or like a long option."""
    return "_" in text or text.count("-") > 1 or re.search(r"[a-z][A-Z]", text) is not None

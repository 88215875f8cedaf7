"""Cut text into search terms: stemmed words, identifiers whole and in parts, and Han bigrams."""

import re
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


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_HAN}]+|[A-Za-z0-9]+(?:[._\-/][A-Za-z0-9]+)*")


def tokens(text: str) -> list[Token]:
    """Return the tokens of ``text`` in order."""
    return [_token(match) for match in _pattern().finditer(text)]


def terms(text: str) -> list[str]:
    """Return the index terms of ``text`` in order, with repeats."""
    return [term for token in tokens(text) for term in token.terms]


def is_han(text: str) -> bool:
    """Return whether ``text`` holds a Han character."""
    return re.search(f"[{_HAN}]", text) is not None


def bigrams(run: str) -> tuple[str, ...]:
    """Return the overlapping pairs of a run of Han characters; a single character stands alone."""
    return tuple(run[index : index + 2] for index in range(len(run) - 1)) or (run,)


def _token(match: re.Match[str]) -> Token:
    text = match.group()
    if is_han(text[0]):
        return Token(text, match.start(), bigrams(text), han=True)
    return Token(text, match.start(), _word_terms(text))


@cache
def _word_terms(text: str) -> tuple[str, ...]:
    """Return an identifier whole (separators as ``_``) and its parts; a plain word's stem."""
    pieces = [piece for piece in re.split(r"[._\-/]", text) if piece]
    parts = [part for piece in pieces for part in _camel_parts(piece)]
    whole = "_".join(pieces).lower()
    stems = [stem(part.lower()) for part in parts]
    if len(parts) == 1:
        return (stems[0],)
    return (whole, *stems)


def _camel_parts(piece: str) -> list[str]:
    if piece.islower() or piece.isupper() or not re.search(r"[a-z][A-Z]", piece):
        return [piece]
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+", piece)

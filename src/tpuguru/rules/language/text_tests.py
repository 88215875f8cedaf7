"""Text tests for pasted output: phrases (``mentions``) and guarded regular expressions (``matches``)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from tpuguru.rules.language.errors import ExpressionError

_MAX_PATTERN = 500
TOGETHER_CHARACTERS = 4000  # in a long log, phrases of one test must stand this near: else chance joins them
_MOST_MATCHES = 200
_WORD = re.compile(r"[A-Za-z0-9]")
_GAP = re.compile(r"…|\*")
_SPACE_IN_LINE = r"[^\S\n]+"
_WITHIN_LINE = rf"[^\n]{{0,{TOGETHER_CHARACTERS}}}?"  # bounded: a long line must not cost its length squared


@lru_cache(maxsize=4096)
def phrase_pattern(alternatives: str) -> re.Pattern[str]:
    """Compile ``a|b|c``: any of the phrases, as whole words, in any case and any white space.

    ``_`` and ``-`` are equal; ``…`` or ``*`` inside a phrase stands for anything within one line. In front of
    a phrase it only says that no word needs to begin there: searched for, it would begin at each character.
    """
    phrases = [phrase for phrase in alternatives.split("|") if phrase.strip()]
    return re.compile("|".join(_phrase(phrase.strip()) for phrase in phrases), re.IGNORECASE)


def _phrase(phrase: str) -> str:
    start = r"(?<![A-Za-z0-9])" if _WORD.match(phrase[0]) else ""
    end = r"(?![A-Za-z0-9])" if _WORD.match(phrase[-1]) else ""
    parts = [_literal(part) for part in _GAP.split(phrase.lstrip("…*"))]
    return start + _WITHIN_LINE.join(parts) + end


def _literal(text: str) -> str:
    words = [re.sub(r"\\-|_", "[-_]", re.escape(word)) for word in text.split()]
    lead = _SPACE_IN_LINE if text[:1].isspace() else ""
    trail = _SPACE_IN_LINE if text[-1:].isspace() and words else ""
    return lead + r"\s+".join(words) + trail


@lru_cache(maxsize=4096)
def regex_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression of a rule, ignoring case, ``^`` and ``$`` at line ends.

    Raises:
        ExpressionError: not a regular expression, too long, or one that can take forever.

    """
    if len(pattern) > _MAX_PATTERN:
        raise ExpressionError(f"the pattern is longer than {_MAX_PATTERN} characters")
    if _repeats_a_repetition(pattern):
        raise ExpressionError(
            "the pattern repeats a group of repeats or alternatives, which can take forever"
        )
    try:
        return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ExpressionError(f"not a regular expression: {error}") from None


def _repeats_a_repetition(pattern: str) -> bool:
    """Tell whether an unbounded quantifier follows a group like ``(a+)`` or ``(a|aa)``."""
    plain = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", pattern)
    repeats = [False]
    for position, character in enumerate(plain):
        rest = plain[position + 1 :]
        if character == "(":
            repeats.append(False)
        elif character == ")" and len(repeats) > 1:
            inner = repeats.pop()
            if inner and _is_unbounded(rest):
                return True
            repeats[-1] = repeats[-1] or inner
        elif character == "|" or _is_unbounded(plain[position:]):
            repeats[-1] = True
    return False


def _is_unbounded(text: str) -> bool:
    return text[:1] in ("*", "+") or bool(re.match(r"\{\d*,\d*\}", text))


def find_together(patterns: Sequence[re.Pattern[str]], text: str) -> list[tuple[int, int]] | None:
    """Return one span for each pattern, all within ``TOGETHER_CHARACTERS``; None when there is none."""
    found = [_spans(pattern, text) for pattern in patterns]
    if not all(found):
        return None
    if len(text) <= TOGETHER_CHARACTERS:
        return [spans[0] for spans in found]
    for start in sorted(span[0] for spans in found for span in spans):
        near = [
            next(
                (span for span in spans if start <= span[0] and span[1] <= start + TOGETHER_CHARACTERS), None
            )
            for spans in found
        ]
        if all(near):
            return [span for span in near if span]
    return None


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in islice(pattern.finditer(text), _MOST_MATCHES)]

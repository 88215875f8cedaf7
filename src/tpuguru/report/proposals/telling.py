"""Which words of a paste would recognise the same fault again: the telling line, and its fixed phrases."""

import re
from collections.abc import Iterator

_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception)|RESOURCE_EXHAUSTED|INVALID_ARGUMENT|INTERNAL|UNAVAILABLE|ABORTED"
    r"|FAILED_PRECONDITION|UNIMPLEMENTED|FATAL|E\d{4}|Check failed|core halted|error:)",
)
_STRONG = re.compile(
    r"\b(?:fail\w*|cannot|could not|unsupported|invalid|mismatch|unexpected|missing|refus\w*)\b",
    re.IGNORECASE,
)
_FRAME = re.compile(r'^\s*(?:File "|Traceback|\^+\s*$|at 0x|#\d+ )')
# What differs from run to run splits a line into its fixed phrases.
_VARIABLE = re.compile(
    r"0x[0-9a-fA-F]+|/[\w./-]+|\b\w*\d[\w.]*\b|'[^']*'|\"[^\"]*\"|<[^>]*>|\[[^\]]*\]|\{[^}]*\}|%[\w.]+|[|*…]"
)
_FEWEST_WORDS = 2
_MOST_WORDS = 9


def telling_line(text: str) -> tuple[int, str] | None:
    """Return (index, line) of the line that says most about the fault; None when no line says anything."""
    scored = [
        (_score(line), -index, index, line) for index, line in enumerate(text.split("\n")) if _score(line) > 0
    ]
    return max(scored)[2:] if scored else None


def _score(line: str) -> float:
    if _FRAME.match(line) or not line.strip():
        return 0.0
    score = 4.0 * bool(_ERROR.search(line)) + 1.5 * bool(_STRONG.search(line))
    if not score:
        return 0.0
    words = sum(len(phrase.split()) for phrase in fixed_phrases(line))
    return score + min(words, 12) / 6


def fixed_phrases(line: str) -> list[str]:
    """Return the phrases of a line that stay the same from run to run, longest first, at most two."""
    pieces = [piece.strip(" \t:;,.()=-") for piece in _VARIABLE.split(line)]
    usable = [
        piece for piece in pieces if len(piece.split()) >= _FEWEST_WORDS and re.search(r"[^\W\d_]{3}", piece)
    ]
    usable.sort(key=lambda piece: -len(piece))
    return [" ".join(piece.split()[:_MOST_WORDS]) for piece in usable[:2]]


def excerpt(text: str, around: int, *, most_lines: int = 30) -> str:
    """Return the telling line with what stands before and after it, at most ``most_lines`` lines."""
    lines = text.split("\n")
    start = max(0, around - most_lines * 2 // 3)
    return "\n".join(lines[start : start + most_lines])


def without(text: str, phrases: list[str]) -> str:
    """Return the text without the lines that hold one of the phrases: the near miss of an example."""
    return "\n".join(_other_lines(text, phrases))


def _other_lines(text: str, phrases: list[str]) -> Iterator[str]:
    for line in text.split("\n"):
        plain = " ".join(line.split()).lower()
        if not any(" ".join(phrase.split()).lower() in plain for phrase in phrases):
            yield line

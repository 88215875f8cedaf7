"""Did you mean …? One implementation for keys, facts, rules, slices and commands."""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], *, limit: int = 3) -> list[str]:
    """Return up to ``limit`` known names close to ``word``, best first; empty when nothing is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    return get_close_matches(word, list(known), n=limit, cutoff=0.6)

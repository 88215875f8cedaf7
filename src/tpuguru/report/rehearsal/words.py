"""Words that the texts about a rehearsal share: places in a program, counts."""

_WHOLE = 100
_INSTALLED = "-packages/"


def counted(number: float, noun: str) -> str:
    """Return «1 program», «2.5 programs», «1,234 programs»."""
    shown = f"{number:,.0f}" if number >= _WHOLE else f"{number:.3g}"
    return f"{shown} {noun}{'' if number == 1 else 's'}"


def short(place: str) -> str:
    """Return ``maxtext/utils/train_utils.py:308`` for an installed file, the last three parts otherwise."""
    inside = place.rpartition(_INSTALLED)[2]
    if inside != place:
        return inside
    parts = place.split("/")
    return "/".join(parts[-3:]) if len(parts) > 3 else place

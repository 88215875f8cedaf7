"""The lines of a paste that carry meaning: all of a short paste, the telling ones of a long log."""

import re
from collections import Counter

SHORT_PASTE_BYTES = 512 * 2**10
HEAD_BYTES = 64 * 2**10  # of a longer text, this much is kept whole: the launch and its settings stand there
_MOST_LINES = 4000
_SAME_SHAPE = 4  # how often lines that differ only in numbers are kept
_MOST_SHAPES = 20_000
_DIGITS = re.compile(r"0x[0-9a-f]+|\d+")


class Excerpt:
    """Collects numbered lines: all of a short paste, or each telling line of a long one a few times."""

    def __init__(self) -> None:
        """Start empty."""
        self.lines: dict[int, str] = {}
        self.left_out = 0
        self._shapes: Counter[str] = Counter()

    def offer(self, number: int, line: str) -> bool:
        """Take a telling line unless enough lines of its shape are held; return whether it was taken."""
        if number in self.lines:
            return False
        shape = _DIGITS.sub("#", line)[:300]
        if len(self.lines) >= _MOST_LINES or self._shapes[shape] >= _SAME_SHAPE:
            self.left_out += 1
            return False
        if len(self._shapes) < _MOST_SHAPES or shape in self._shapes:
            self._shapes[shape] += 1
        self.lines[number] = line
        return True

    def take_all(self, lines: list[str], first_number: int) -> None:
        """Take every line of a short paste."""
        for offset, line in enumerate(lines):
            self.lines[first_number + offset] = line

    def text(self) -> str:
        """Return the lines in order."""
        return "\n".join(line for _, line in sorted(self.lines.items()))

    def line_numbers(self) -> list[int]:
        """Return the paste's line number of each line of :meth:`text`."""
        return sorted(self.lines)

"""Lines of programs that differ from run to run of the very same command (a seed taken from the clock)."""

import hashlib
from dataclasses import dataclass, field

from tpuguru.slice.proving.texts import ProgramText

# More lines than this share differ: the programs have another structure, and blanking would prove nothing.
_MOST_SHARE = 0.1


@dataclass(slots=True)
class Noise:
    """The places of such lines, for each program by its name and number of lines."""

    _places: dict[tuple[str, int], frozenset[int]] = field(default_factory=dict)

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that hold such lines."""
        return tuple(sorted({name for name, _ in self._places}))

    def learn(self, one: ProgramText, other: ProgramText) -> bool:
        """Note where a program differed in two runs; False when the texts cannot be laid side by side."""
        before, after = one.lines(), other.lines()
        different = frozenset(
            place for place, (a, b) in enumerate(zip(before, after, strict=False)) if a != b
        )
        if not before or len(before) != len(after) or len(different) > max(1, _MOST_SHARE * len(before)):
            return False
        key = (one.name, len(before))
        self._places[key] = self._places.get(key, frozenset()) | different
        return True

    def identity(self, text: ProgramText) -> str:
        """Return the program's hash without its unstable lines."""
        if text.name not in {name for name, _ in self._places}:
            return text.identity
        lines = text.lines()
        unstable = self._places.get((text.name, len(lines)), frozenset())
        kept = "\n".join("" if place in unstable else line for place, line in enumerate(lines))
        return hashlib.sha256(kept.encode()).hexdigest()

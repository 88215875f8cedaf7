"""A series of numbers from a log of any length, kept in constant memory."""

import math
from collections.abc import Sequence

_KEPT = 4096


class Series:
    """First, last, extremes and counts are exact; the median comes from an even sample of the series."""

    def __init__(self) -> None:
        """Start empty."""
        self.count = 0
        self.zeros = 0
        self.not_finite = 0
        self.first: float | None = None
        self.last: float | None = None
        self.highest: float | None = None
        self.highest_after_first: float | None = None
        self._sample: list[float] = []
        self._stride = 1

    def add(self, value: float) -> None:
        """Take the next value."""
        self.extend((value,))

    def extend(self, values: Sequence[float]) -> None:
        """Take the next values; NaN and infinities are counted, not averaged."""
        finite = values if math.isfinite(sum(values)) else [value for value in values if math.isfinite(value)]
        self.not_finite += len(values) - len(finite)
        self.zeros += finite.count(0.0)
        if finite:
            self._note_extremes(finite)
            self._sample.extend(finite[-self.count % self._stride :: self._stride])
            self._thin()
        self.count += len(values)

    def _note_extremes(self, finite: Sequence[float]) -> None:
        if self.first is None:
            self.first = finite[0]
            later = max(finite[1:], default=None)
        else:
            later = max(finite)
        self.highest_after_first = _larger(self.highest_after_first, later)
        self.highest = _larger(self.highest, _larger(later, self.first))
        self.last = finite[-1]

    def _thin(self) -> None:
        while len(self._sample) >= 2 * _KEPT:
            self._sample = self._sample[::2]
            self._stride *= 2

    def median(self, *, skip_first: bool = False) -> float | None:
        """Return the median, without the first value when asked (it holds the compile); None when empty."""
        return _median(self._kept(skip_first=skip_first))

    def spread(self, *, skip_first: bool = False) -> float:
        """Return the median absolute deviation over the median (0.01: half the values lie within 1 %)."""
        values = self._kept(skip_first=skip_first)
        middle = _median(values)
        if not middle:
            return 0.0
        return (_median([abs(value - middle) for value in values]) or 0.0) / abs(middle)

    def _kept(self, *, skip_first: bool) -> list[float]:
        return self._sample[1:] if skip_first and len(self._sample) > 1 else self._sample


def _median(values: Sequence[float]) -> float | None:
    ordered = sorted(values)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _larger(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)

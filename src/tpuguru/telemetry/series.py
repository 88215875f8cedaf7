"""A series of numbers from a log of any length, kept in constant memory."""

import math

_KEPT = 4096


class Series:
    """First, last, extremes and count are exact; the median comes from an even sample of the series."""

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
        """Take the next value; NaN and infinities are counted, not averaged."""
        self.count += 1
        self.zeros += value == 0.0
        if not math.isfinite(value):
            self.not_finite += 1
            return
        if self.first is None:
            self.first = value
        elif self.highest_after_first is None or value > self.highest_after_first:
            self.highest_after_first = value
        self.last = value
        if self.highest is None or value > self.highest:
            self.highest = value
        if self.count % self._stride == 0:
            self._keep(value)

    def _keep(self, value: float) -> None:
        self._sample.append(value)
        if len(self._sample) >= 2 * _KEPT:
            self._sample = self._sample[::2]
            self._stride *= 2

    def median(self, *, skip_first: bool = False) -> float | None:
        """Return the median, without the first value when asked (it holds the compile); None when empty."""
        values = sorted(self._sample[1:] if skip_first and len(self._sample) > 1 else self._sample)
        if not values:
            return None
        middle = len(values) // 2
        return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2

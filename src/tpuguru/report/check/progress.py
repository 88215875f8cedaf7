"""What a long check says on stderr while it works: one line a phase and each result as it arrives."""

import sys
import time
from collections.abc import Callable

type Say = Callable[[str], None]


class Progress:
    """Writes lines to stderr with the seconds since the start; silent when told to be."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Start the clock."""
        self._quiet = quiet
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall seconds since the start."""
        return time.monotonic() - self._started

    def __call__(self, text: str) -> None:
        """Write one line."""
        if not self._quiet:
            print(f"[{self.seconds:6.1f} s] {text}", file=sys.stderr, flush=True)

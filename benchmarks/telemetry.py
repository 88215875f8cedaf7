"""How fast logs are read: MB/s of CPU time on one core, and peak memory, for a log of a given size (default 200 MB)."""

import io
import resource
import sys
import time

from tpuguru.telemetry.scan import scan
from tpuguru.telemetry.source import chunks

NOISE = b"I1201 10:00:00 worker heartbeat ok and some other words that fill the line up\n"
STEP = (
    b"completed step: 12, seconds: 3.443, TFLOP/s/device: 413.433, Tokens/s/device: 7138.9,"
    b" total_weights: 196608, loss: 10.874\n"
)
WARNING = b"W1201 10:00:01 data loader is slow: waited 1234 ms for batch 99\n"


class Repeated(io.RawIOBase):
    """A file that repeats a pattern up to a size without holding it."""

    def __init__(self, pattern: bytes, size: int) -> None:
        self.pattern = pattern * (4 * 2**20 // len(pattern))
        self.left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self.pattern[: min(size if size > 0 else self.left, self.left)]
        self.left -= len(block)
        return block


def main() -> None:
    size = int(sys.argv[1]) * 10**6 if len(sys.argv) > 1 else 200 * 10**6
    for name, pattern in (
        ("noise", NOISE),
        ("1 step in 20", NOISE * 20 + STEP),
        ("steps only", STEP),
        ("1 warning in 10", NOISE * 10 + WARNING),
    ):
        start = time.process_time()
        seen = scan(chunks(Repeated(pattern, size), name))  # type: ignore[arg-type]
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name:16} {size / 1e6 / seconds:6.0f} MB/s  steps {seen.observation.step_seconds.count}  peak {peak:.0f} MiB"
        )


if __name__ == "__main__":
    main()

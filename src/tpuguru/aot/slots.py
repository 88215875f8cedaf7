"""How many compiles may go at once on this machine; the others queue."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tpuguru.aot.locks import try_lock, unlock

_POLL_SECONDS = 0.5


def slot_count() -> int:
    """Return the number of compiles at once: half the cores, at least one, or ``TPUGURU_COMPILE_SLOTS``."""
    wanted = os.environ.get("TPUGURU_COMPILE_SLOTS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) > 0 else max(1, (os.cpu_count() or 1) // 2)


@contextmanager
def compile_slot(folder: Path, on_wait: Callable[[], None]) -> Iterator[float]:
    """Hold a slot for the block, and give how many seconds it took to get; ``on_wait`` is called once."""
    started = time.monotonic()
    slot = _free_slot(folder)
    if slot is None:
        on_wait()
    while slot is None:
        time.sleep(_POLL_SECONDS)
        slot = _free_slot(folder)
    try:
        yield time.monotonic() - started
    finally:
        unlock(slot)


def _free_slot(folder: Path) -> int | None:
    slots = (try_lock(folder / f"slot-{number}") for number in range(slot_count()))
    return next((slot for slot in slots if slot is not None), None)

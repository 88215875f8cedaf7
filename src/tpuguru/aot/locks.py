"""Locks between processes, given back by the kernel when their holder dies."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_SECONDS = 0.2


def try_lock(path: Path) -> int | None:
    """Take the lock file at ``path`` and return its descriptor, or None when another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def unlock(descriptor: int) -> None:
    """Give a lock back. The file stays: deleting it would let two processes hold «the» lock."""
    os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Tell whether a living process holds the lock."""
    descriptor = try_lock(path)
    if descriptor is None:
        return True
    unlock(descriptor)
    return False


@contextmanager
def file_lock(path: Path, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock for the block; ``on_wait`` is called once if another process has it."""
    descriptor = try_lock(path)
    if descriptor is None and on_wait is not None:
        on_wait()
    while descriptor is None:
        time.sleep(_POLL_SECONDS)
        descriptor = try_lock(path)
    try:
        yield
    finally:
        unlock(descriptor)

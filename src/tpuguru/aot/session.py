"""A worker that is running: ask it, hear its events, and stop it when it exceeds a limit."""

import json
import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from tpuguru.aot.events import Event, OnEvent
from tpuguru.aot.executors import Executor, WorkerPlan
from tpuguru.aot.failures import death_of, failure_of
from tpuguru.aot.job import Limits
from tpuguru.aot.record import Failure, FailureKind
from tpuguru.base.units import MiB, format_bytes

_WATCH_SECONDS = 1.0
_LOG_TAIL_BYTES = 64 * 1024
_FREE_RESERVE = 128 * MiB


class WorkFailed(Exception):  # noqa: N818 - it is an outcome, not a mistake
    """The worker could not do what it was asked, or was stopped; ``failure`` says which and why."""

    def __init__(self, failure: Failure) -> None:
        """Keep the failure."""
        super().__init__(failure.message)
        self.failure = failure


class WorkerSession:
    """One worker process. Use as a context manager: leaving it stops the worker, whatever happened."""

    def __init__(self, executor: Executor, plan: WorkerPlan, limits: Limits, on_event: OnEvent) -> None:
        """Describe the session; ``__enter__`` starts the worker."""
        self._executor = executor
        self._plan = plan
        self._limits = limits
        self._on_event = on_event
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._requests = 0
        self.peak_rss_bytes = 0

    def __enter__(self) -> Self:
        """Start the worker."""
        self._started = time.monotonic()
        self._process = self._executor.start(self._plan)
        threading.Thread(target=self._read, name="worker-events", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the worker and everything it started."""
        self._executor.stop(self._process, self._plan)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()

    def allow_more(self, seconds: float) -> None:
        """Do not count ``seconds`` of waiting (for another run, say) against the time limit."""
        self._started += seconds

    def ask(self, operation: str, **fields: object) -> Mapping[str, object]:
        """Do one operation and return its ``done`` event's data.

        WorkFailed when it, the worker or a limit fails.
        """
        self._requests += 1
        request = {"id": self._requests, "op": operation, **fields}
        with suppress(OSError):  # a worker that has died is noticed below, with its last words
            assert self._process.stdin is not None  # noqa: S101 - executors start workers with pipes
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        while True:
            event = self._next_event(operation)
            if event.name != "done":
                self._on_event(event)
                continue
            self.peak_rss_bytes = max(self.peak_rss_bytes, _integer(event.data.get("peak_rss_bytes")))
            failure = event.data.get("failure")
            if isinstance(failure, Mapping):
                raise WorkFailed(failure_of(failure))
            return event.data

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - executors start workers with pipes
        with suppress(ValueError, OSError):  # the pipe is closed under us when the session ends
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(None)

    def _next_event(self, operation: str) -> Event:
        while True:
            try:
                line = self._lines.get(timeout=_WATCH_SECONDS)
            except queue.Empty:
                self._watch(operation)
                continue
            if line is None:
                raise WorkFailed(death_of(self._return_code(), operation, self._log_tail()))
            fields = json.loads(line)
            return Event(fields["event"], time.monotonic() - self._started, fields["data"])

    def _return_code(self) -> int:
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return 0

    def _log_tail(self) -> str:
        with suppress(OSError), self._plan.stderr_log.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _LOG_TAIL_BYTES))
            return log.read().decode("utf-8", "replace")
        return ""

    def _watch(self, operation: str) -> None:
        """Stop at the first limit that is exceeded."""
        for kind, message in (self._over_time(), self._over_memory(), self._over_disk()):
            if message:
                raise WorkFailed(Failure(kind, message, operation))

    def _over_time(self) -> tuple[FailureKind, str]:
        seconds = time.monotonic() - self._started
        over = seconds > self._limits.seconds
        return FailureKind.OUT_OF_TIME, f"stopped after {self._limits.seconds:.0f} s" if over else ""

    def _over_memory(self) -> tuple[FailureKind, str]:
        resident = self._executor.resident_bytes(self._process)
        self.peak_rss_bytes = max(self.peak_rss_bytes, resident)
        limit = self._limits.memory_bytes or _nine_tenths_of_memory()
        said = f"stopped at {format_bytes(resident)} resident memory; the limit is {format_bytes(limit)}"
        return FailureKind.OUT_OF_MEMORY, said if resident > limit else ""

    def _over_disk(self) -> tuple[FailureKind, str]:
        return FailureKind.DISK_FULL, disk_problem(self._plan.folder, self._limits.disk_bytes)


def disk_problem(folder: Path, limit: int) -> str:
    """Say what is wrong with the disk under ``folder``: it is full, or the run wrote too much."""
    free = shutil.disk_usage(folder).free
    if free < _FREE_RESERVE:
        return f"no space left for the run: {format_bytes(free)} free under {folder}"
    written = sum(size_of(path) for path in folder.rglob("*"))
    if written > limit:
        return f"the run wrote {format_bytes(written)}; the limit is {format_bytes(limit)}"
    return ""


def size_of(path: Path) -> int:
    """Return a file's size, or 0 for what is no file or is gone."""
    with suppress(OSError):
        return path.stat().st_size if path.is_file() and not path.is_symlink() else 0
    return 0


def _nine_tenths_of_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10


def _integer(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0

"""Run variations of the program: forked where that is safe, several at once, each command only once."""

import signal
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tpuguru.base.ablation import OutOfBudgetError
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.launching import free_memory
from tpuguru.slice.proving.forks import ForkError, ForkServer
from tpuguru.slice.proving.plain import run_plain
from tpuguru.slice.proving.site import RunOutcome, Site
from tpuguru.slice.proving.stops import Stop

_LEAST_HELD = 2**30
"""A JAX or torch process takes about so much of this machine's memory."""
_LEAST_SECONDS = 60.0
_SLOWER = 10.0
"""A variation may take so many times as long as the first run before it is given up."""

type OnRun = Callable[[int], None]


class Runs:
    """All runs after the first one. Thread-safe."""

    def __init__(self, site: Site, deadline: float, first: RunOutcome, on_run: OnRun) -> None:
        """``deadline``: of time.monotonic(); no run is started after it."""
        self._site = site
        self._deadline = deadline
        self._seconds = max(_LEAST_SECONDS, _SLOWER * first.seconds)
        self._on_run = on_run
        self._lock = threading.Lock()
        self._known: dict[tuple[ProgramCommand, Stop, bool], RunOutcome] = {}
        self._held = max(first.held, _LEAST_HELD)
        self.fork_server: ForkServer | None = None
        self.count = 1
        self.forked = 0

    def at_once(self) -> int:
        """Return how many runs fit beside each other: each needs the memory of the first run."""
        return max(1, min(self._site.servers.maxsize, free_memory() * 9 // 10 // self._held))

    def run(self, command: ProgramCommand, stop: Stop, *, fresh: bool) -> RunOutcome:
        """Run a command, or recall it. ``fresh``: in a process of its own.

        OutOfBudgetError when the time is up.
        """
        key = (command, stop, fresh)
        with self._lock:
            if key in self._known:
                return self._known[key]
        outcome = self._run(command, stop, fresh=fresh)
        with self._lock:
            self._known[key] = outcome
            self.forked += outcome.forked
        return outcome

    def prepare(self, wanted: Iterable[tuple[ProgramCommand, Stop, bool]]) -> None:
        """Run several commands beside each other, so that they are known when they are asked for."""

        def one(each: tuple[ProgramCommand, Stop, bool]) -> None:
            try:
                self.run(each[0], each[1], fresh=each[2])
            except OutOfBudgetError:
                return  # whoever asks for it is told

        pool = ThreadPoolExecutor(self.at_once())
        try:
            list(pool.map(one, dict.fromkeys(wanted)))
        except BaseException:  # interrupted: what runs is ended, what waits is not begun
            pool.shutdown(wait=False, cancel_futures=True)
            self.abort()
            raise
        pool.shutdown()

    def abort(self) -> None:
        """End what is running; nothing more is started."""
        self._deadline = float("-inf")
        for launcher in list(self._site.launchers):
            launcher.send_signal(signal.SIGTERM)

    def _run(self, command: ProgramCommand, stop: Stop, *, fresh: bool) -> RunOutcome:
        folder = self._new_folder()
        server = None if fresh else self.fork_server
        if server is not None:
            try:
                return server.run(command, stop, folder, seconds=self._seconds_left())
            except ForkError:
                self.fork_server = None
        return run_plain(self._site, command, stop, folder, seconds=self._seconds_left())

    def _seconds_left(self) -> float:
        seconds = min(self._seconds, self._deadline - time.monotonic())
        if seconds <= 0:
            raise OutOfBudgetError
        return seconds

    def _new_folder(self) -> Path:
        with self._lock:
            number = self.count
            self.count += 1
        self._on_run(number)
        return self._site.folder / "runs" / str(number)

"""The process between ``tpuguru rehearse`` and the program: ``python -m tpuguru.slice.launcher``.

It reads a job (JSON) from its standard input, leaves the network if it is asked to, starts the ranks, passes
their output on, and ends everything below it when the job's limits are reached, when its parent ends, or when
a rank fails. It writes JSON lines on its standard output; the ranks' output are lines too:
``{"rank": 0, "stream": "out", "line": "..."}``.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from tpuguru.slice.sandbox import (
    adopt_orphans,
    descendants,
    die_with_parent,
    end_all,
    leave_network,
    resident_bytes,
)

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LONGEST_LINE = 65536
_LOOK_SECONDS = 0.5
_PATIENCE_SECONDS = 10.0
_LAST_OUTPUT_SECONDS = 2.0


@dataclass(slots=True)
class _Stream:
    """One output of one rank, and what it wrote since its last newline."""

    rank: int
    name: str
    rest: bytes = b""


class Stopped(Exception):  # noqa: N818 - it is how a run ends, not an error
    """The run ends before its ranks do."""


class Launcher:
    """Runs one job."""

    def __init__(self, job: dict[str, Any]) -> None:
        """``job``: command, folder, environments (one a rank), seconds, memory_bytes, network."""
        self._job = job
        self._selector = selectors.DefaultSelector()
        self._ranks: list[subprocess.Popen[bytes]] = []
        self._deadline = time.monotonic() + job["seconds"]
        self._looked = 0.0
        self._reported: set[int] = set()

    def run(self) -> None:
        """Run until the ranks end. Raises Stopped when the run must end before they do."""
        adopt_orphans()
        if not self._job["network"]:
            _tell(event="network", objection=leave_network())
        self._start()
        self._stream()

    def end(self, reason: str) -> None:
        """End everything that is left, and tell how it ended."""
        end_all(os.getpid(), patience_seconds=_PATIENCE_SECONDS if reason else 1.0)
        self._drain()
        _tell(event="end", reason=reason, codes=[rank.poll() for rank in self._ranks])

    def _start(self) -> None:
        for rank, environment in enumerate(self._job["environments"]):
            try:
                process = subprocess.Popen(
                    self._job["command"],
                    cwd=self._job["folder"],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    preexec_fn=_prepare_rank,  # noqa: PLW1509 - this process has one thread
                )
            except OSError as error:
                raise Stopped(f"the command could not be started: {error.strerror}") from error
            self._ranks.append(process)
            for stream, name in ((process.stdout, "out"), (process.stderr, "err")):
                if stream is not None:
                    os.set_blocking(stream.fileno(), False)
                    self._selector.register(stream, selectors.EVENT_READ, _Stream(rank, name))

    def _stream(self) -> None:
        while any(rank.poll() is None for rank in self._ranks):
            self._read(_LOOK_SECONDS)
            self._look()

    def _read(self, timeout: float) -> bool:
        ready = self._selector.select(timeout) if self._selector.get_map() else []
        if not ready and not self._selector.get_map():
            time.sleep(min(timeout, 0.1))
        for key, _ in ready:
            data = key.fileobj.read(1 << 16)  # type: ignore[union-attr]
            if data:
                self._pass_on(key.data, data)
            else:
                self._finish(key.data)
                self._selector.unregister(key.fileobj)
        return bool(ready)

    def _pass_on(self, stream: _Stream, data: bytes) -> None:
        # A carriage return redraws a progress bar: each state is a line here.
        *lines, stream.rest = (stream.rest + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if len(stream.rest) > _LONGEST_LINE:
            lines, stream.rest = [*lines, stream.rest], b""
        for line in lines:
            _tell(rank=stream.rank, stream=stream.name, line=line[:_LONGEST_LINE].decode("utf-8", "replace"))

    def _finish(self, stream: _Stream) -> None:
        if stream.rest:
            self._pass_on(stream, b"\n")

    def _drain(self) -> None:
        deadline = time.monotonic() + _LAST_OUTPUT_SECONDS
        while self._selector.get_map() and time.monotonic() < deadline and self._read(0.05):
            pass
        for key in list(self._selector.get_map().values()):
            self._finish(key.data)

    def _look(self) -> None:
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        held = resident_bytes(descendants(os.getpid()))
        _tell(event="alive", held=held)  # whoever reads can look elsewhere now and then
        if self._looked > self._deadline:
            raise Stopped(f"it ran longer than {self._job['seconds']:.0f} s")
        if held > self._job["memory_bytes"]:
            raise Stopped(f"it held {held / 2**30:.1f} GiB of this machine's memory")
        for rank, process in enumerate(self._ranks):
            code = process.poll()
            if code is not None and rank not in self._reported:
                self._reported.add(rank)
                _tell(event="rank_ended", rank=rank, code=code)
                if code != 0 and len(self._ranks) > 1:
                    raise Stopped(f"rank {rank} ended with {_ending(code)}")


def _prepare_rank() -> None:
    os.setsid()
    die_with_parent(signal.SIGKILL)


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _tell(**event: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _stop(*_: object) -> None:
    _ignore_signals()
    raise Stopped("it was interrupted")


def _ignore_signals() -> None:
    """Take no more signals: the first is enough, and the clean-up must not be interrupted."""
    for number in _ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Read the job and run it. Our parent's death interrupts us, which ends everything below."""
    for number in _ENDING_SIGNALS:
        signal.signal(number, _stop)
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return  # it ended before we asked to be told
    reason = ""
    launcher = Launcher(json.loads(sys.stdin.readline()))
    try:
        launcher.run()
        _ignore_signals()
    except (Stopped, BrokenPipeError) as stopped:
        _ignore_signals()
        reason = str(stopped)
    try:
        launcher.end(reason)
    except BrokenPipeError:
        end_all(os.getpid(), patience_seconds=1.0)  # nobody listens any more


if __name__ == "__main__":
    main()

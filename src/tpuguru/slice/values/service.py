"""The process that serves values over a Unix socket: ``python -m tpuguru.slice.values.service``.

It writes one JSON object a line on its standard output: ``ready`` first, then deadlocks, at the end notes. It
ends when its standard input is closed, so it never outlives who started it.
"""

import argparse
import json
import os
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tpuguru.slice.values.control import ControlEngine, NoEngine
from tpuguru.slice.values.engine import CpuEngine, default_python
from tpuguru.slice.values.frames import Frame, FrameBuffer, FrameError, Question, answer, ask
from tpuguru.slice.values.graph import Engine
from tpuguru.slice.values.session import Rank, Session

_QUIET_SECONDS = 5.0
"""Ranks that say nothing for so long while somebody waits are looked at for a deadlock."""
_IDLE_SHARE = 0.02
"""A process that uses less of a core than this is idle, not computing or compiling."""


class _Connection:
    """A rank's socket and what was received of an unfinished frame."""

    def __init__(self, session: Session, peer: socket.socket, go_on: Callable[[], bool]) -> None:
        self.socket = peer
        self.frames = FrameBuffer()
        self.rank: Rank = session.connect(self._answer, self._ask)
        self._session = session
        self._go_on = go_on
        self._unhandled: deque[Frame] = deque()
        self._gone = False

    def _answer(self, request: int, data: bytes | None, reason: str) -> None:
        try:
            self.socket.sendall(answer(request, data, reason))
        except OSError:
            return  # the rank is gone; its end of the socket says so to the loop

    def _ask(self, request: int, question: Question) -> None:
        """Ask, and serve everybody until the answer is there or will never be."""
        try:
            self.socket.sendall(ask(request, question))
        except OSError:
            return
        while request not in self.rank.given and not self._gone and self._go_on():
            pass

    def receive(self) -> bool:
        """Handle what arrived; False when the rank is gone or speaks nonsense.

        Handling one frame may lead back here, when the host is asked: what is unhandled is handled there.
        """
        try:
            data = self.socket.recv(1 << 20)
            self._unhandled.extend(self.frames.feed(data))
            while self._unhandled:
                self._session.handle(self.rank, self._unhandled.popleft())
        except (OSError, FrameError, ValueError, IndexError) as error:
            print(f"values service: a rank was dropped: {error}", file=sys.stderr)
            return False
        return bool(data)

    def close(self) -> None:
        self._gone = True
        self._session.disconnect(self.rank)
        self.socket.close()


class Service:
    """Accepts ranks, hands their frames to the session, and watches for deadlocks."""

    def __init__(self, path: Path, engine: Engine, patience_seconds: float) -> None:
        """Listen at ``path``; ranks that are idle for ``patience_seconds`` are taken for deadlocked."""
        self._patience = patience_seconds
        self._used: dict[int, float] = {}
        self._engine = engine
        self._session = Session(engine)
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        path.chmod(0o600)
        self._listener.listen(512)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(sys.stdin, selectors.EVENT_READ, self._parent_spoke)
        self._heard = time.monotonic()
        self._ending = False

    def run(self) -> None:
        """Serve until the standard input ends."""
        _tell({"event": "ready"})
        while self._go_on():
            self._look_for_deadlocks()
        for text in self._session.notes():
            _tell({"event": "note", "text": text})

    def _go_on(self) -> bool:
        """Handle what arrives within a second; False when it is time to end."""
        for key, _ in self._selector.select(timeout=1.0):
            if key.fileobj in self._selector.get_map():  # handling another may have closed it
                key.data()
        return not self._ending

    def _parent_spoke(self) -> None:
        self._ending = not os.read(sys.stdin.fileno(), 4096)

    def _accept(self) -> None:
        peer, _ = self._listener.accept()
        connection = _Connection(self._session, peer, self._go_on)
        self._selector.register(peer, selectors.EVENT_READ, lambda: self._receive(connection))

    def _receive(self, connection: _Connection) -> None:
        self._heard = time.monotonic()
        met = bool(connection.rank.devices)
        if not connection.receive() and connection.socket in self._selector.get_map():
            self._selector.unregister(connection.socket)
            connection.close()
        elif connection.rank.devices and not met:
            self._engine.warm_up(len(connection.rank.devices))
        self._heard = time.monotonic()

    def _look_for_deadlocks(self) -> None:
        quiet = time.monotonic() - self._heard
        if quiet < _QUIET_SECONDS:
            self._used = {}
            return
        if not self._used:
            self._used = {rank.process_id: _cpu_seconds(rank.process_id) for rank in self._session.ranks}
        idle = quiet > self._patience and self._all_idle(quiet - _QUIET_SECONDS)
        found = [each for each in self._session.deadlocks() if each.certain or idle]
        for each in found:
            _tell(
                {
                    "event": "deadlock",
                    "program": each.program,
                    "waiting": each.waiting,
                    "missing": each.missing,
                    "certain": each.certain,
                }
            )
        if found:
            self._session.give_up()

    def _all_idle(self, seconds: float) -> bool:
        """Say whether no rank has worked since it was quiet: one that compiles says nothing for long, too."""
        used = (
            _cpu_seconds(rank.process_id) - self._used.get(rank.process_id, 0.0)
            for rank in self._session.ranks
        )
        return all(each < seconds * _IDLE_SHARE for each in used)


def _cpu_seconds(process_id: int) -> float:
    """Return the processor time of a process, 0 when it is gone."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    user, system = fields.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _tell(event: dict[str, Any]) -> None:
    print(json.dumps(event), flush=True)


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="values-service")
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument(
        "--python", default=default_python(), help="interpreter with jaxlib; empty: no values"
    )
    parser.add_argument("--most-flops", type=float, default=2e10)
    parser.add_argument("--most-mib", type=int, default=256)
    parser.add_argument("--patience", type=float, default=60, help="seconds after which idle ranks are stuck")
    parser.add_argument("--control-only", action="store_true", help="compute only what ranks tell each other")
    arguments = parser.parse_args()
    if not arguments.python:
        reason = "no Python with jax computes values here"
        Service(arguments.socket, NoEngine(reason), arguments.patience).run()
        return
    engine = _engine(arguments)
    try:
        Service(arguments.socket, engine, arguments.patience).run()
    finally:
        engine.close()


def _engine(arguments: argparse.Namespace) -> CpuEngine:
    if arguments.control_only:
        return ControlEngine(arguments.python)
    return CpuEngine(arguments.python, most_flops=arguments.most_flops, most_bytes=arguments.most_mib << 20)


if __name__ == "__main__":
    main()

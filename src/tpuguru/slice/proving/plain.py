"""Run the program in a process of its own, started from nothing, as a rehearsal does."""

import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tpuguru.base.redaction import redact
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.launching import events_of, start_launcher
from tpuguru.slice.proving.site import RunOutcome, Site
from tpuguru.slice.proving.stops import Stop
from tpuguru.slice.proving.trace import read_trace
from tpuguru.slice.values.server import ValuesServer

if TYPE_CHECKING:
    import subprocess

_LAST_LINES = 40

type OnLine = Callable[[int, str, str], None]


@dataclass(slots=True)
class _Listener:
    """What the launcher told so far."""

    on_line: OnLine
    log: Callable[[str], object]
    last: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_LINES))
    code: int | None = None
    ended: bool = False
    reason: str = ""
    held: int = 0

    def hear(self, event: dict[str, Any]) -> bool:
        """Take one event; True when the first rank, the one that is compared, has ended."""
        kind = event.get("event")
        if kind is None:
            line = redact(str(event["line"]))
            if event["stream"] == "err" and line.strip():
                self.last.append(line)
            self.log(f"[{event['rank']} {event['stream']}] {line}\n")
            self.on_line(int(event["rank"]), str(event["stream"]), line)
        elif kind == "alive":
            self.held = max(self.held, int(event.get("held", 0)))
        elif kind == "rank_ended" and event["rank"] == 0:
            self.code, self.ended = event["code"], True
        elif kind == "end" and not self.ended:  # else it was us who ended the other ranks
            self.code, self.reason = event["codes"][0] if event["codes"] else None, event["reason"]
        return self.ended


def run_plain(
    site: Site,
    command: ProgramCommand,
    stop: Stop,
    run: Path,
    *,
    seconds: float,
    on_line: OnLine = lambda *_: None,
    observe: bool = False,
) -> RunOutcome:
    """Run it with its records under ``run``, for ``seconds`` at most."""
    (run / "records").mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with site.server() as server, (run / "output.log").open("w", encoding="utf-8") as log:
        listener = _Listener(on_line, log.write)
        launcher = start_launcher(
            command=command.words,
            folder=site.request.folder,
            environments=site.environments(command, run, server, stop, observe=observe),
            seconds=seconds,
            memory_bytes=site.request.memory_bytes,
            network=site.request.network,
        )
        site.launchers.add(launcher)
        try:
            _listen(launcher, listener, server)
        finally:
            site.launchers.discard(launcher)
    return RunOutcome(
        records=run / "records",
        trace=read_trace(run / "records"),
        code=listener.code,
        reason=listener.reason,
        last_words=last_words(listener.last),
        seconds=time.monotonic() - started,
        held=listener.held,
    )


def _listen(launcher: "subprocess.Popen[str]", listener: _Listener, server: ValuesServer) -> None:
    known = len(server.events)
    try:
        for event in events_of(launcher):
            if not listener.ended and len(server.events) > known:
                listener.reason, listener.ended = "its ranks wait for each other for ever", True
            if listener.hear(event):
                launcher.send_signal(signal.SIGTERM)
    except BaseException:
        launcher.send_signal(signal.SIGTERM)  # interrupted: it ends everything that it started
        launcher.communicate()
        raise
    launcher.wait()


def last_words(lines: "deque[str] | list[str]") -> str:
    """Return the line of an error output that says most: an exception's, argparse's, or just the last."""
    said = [line.strip() for line in lines if line.strip() and not line.startswith((" ", "\t"))]
    telling = [line for line in said if "rror:" in line or "Exception" in line or ": error" in line]
    return (telling or said or [""])[-1][:500]

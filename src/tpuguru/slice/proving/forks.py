"""Run the program in a fork of a process that has imported its modules once."""

import array
import contextlib
import json
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tpuguru.base.redaction import redact
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.interpreter import first_line_interpreter
from tpuguru.slice.launching import events_of, start_launcher
from tpuguru.slice.proving.plain import last_words
from tpuguru.slice.proving.site import RunOutcome, Site
from tpuguru.slice.proving.stops import Stop
from tpuguru.slice.proving.trace import read_trace

if TYPE_CHECKING:
    import subprocess

_SERVER = Path(__file__).parents[1] / "workers" / "fork_server.py"
_START_SECONDS = 60.0
_IMPORT_SECONDS = 600.0
_MOST_SECONDS = 24 * 3600.0
_LAST_BYTES = 1 << 16


class ForkError(Exception):
    """Forking is not possible here; the text says why.

    ``culprit`` is the module whose import is to blame; before it all was well.
    """

    def __init__(self, reason: str, culprit: str = "") -> None:
        super().__init__(reason)
        self.culprit = culprit


class ForkServer:
    """A warm process below a launcher, which takes its network and bounds its memory."""

    def __init__(self, site: Site, command: ProgramCommand, imports: list[str]) -> None:
        """Start it and import. ForkError when the program cannot be forked."""
        _runnable(command)
        self._site = site
        self._next = 0
        self._waiting: dict[int, tuple[Future[int], Future[int]]] = {}
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="tpuguru-")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(f"{self._folder.name}/forks")
        listener.listen(1)
        self._launcher = self._launch(command)
        try:
            self._connection = self._accept(listener)
            self.import_seconds = self._preload(imports)
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._listen, daemon=True).start()

    def _launch(self, command: ProgramCommand) -> "subprocess.Popen[str]":
        with self._site.server() as server:
            environment = self._site.environments(command, self._site.folder, server, Stop())[0]
        launcher = start_launcher(
            command=[
                str(self._site.interpreter.python),
                *command.interpreter_options,
                str(_SERVER),
                f"{self._folder.name}/forks",
            ],
            folder=self._site.request.folder,
            # A library of threads that is loaded before the fork must not have started any.
            environments=[environment | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}],
            seconds=_MOST_SECONDS,
            memory_bytes=self._site.request.memory_bytes,
            network=self._site.request.network,
        )
        threading.Thread(target=lambda: list(events_of(launcher)), daemon=True).start()
        return launcher

    def _accept(self, listener: socket.socket) -> socket.socket:
        listener.settimeout(_START_SECONDS)
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            raise ForkError("the warm process did not start") from None
        finally:
            listener.close()
        return connection

    def _preload(self, imports: list[str]) -> float:
        started = time.monotonic()
        self._connection.settimeout(_IMPORT_SECONDS)
        self._reader = self._connection.makefile("r", encoding="utf-8")
        try:
            self._connection.sendall(json.dumps({"preload": imports}).encode() + b"\n")
            line = self._reader.readline()
        except OSError as error:
            raise ForkError(f"the modules could not be imported: {error}") from error
        if not line:
            raise ForkError("the process that imports the modules ended")
        told = json.loads(line)
        if told["objection"]:
            raise ForkError(told["objection"], told["culprit"])
        self._connection.settimeout(None)
        return time.monotonic() - started

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed by us
            for line in self._reader:
                told: dict[str, Any] = json.loads(line)
                started, ended = self._waiting[told["id"]]
                future = started if told["event"] == "started" else ended
                future.set_result(told["pid"] if "pid" in told else told["code"])
        self._ended = True
        for futures in list(self._waiting.values()):
            for future in futures:
                if not future.done():
                    future.set_exception(ForkError("the warm process ended"))

    def run(self, command: ProgramCommand, stop: Stop, run: Path, *, seconds: float) -> RunOutcome:
        """Run the program with its records under ``run``. ForkError when the warm process has ended."""
        (run / "records").mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        with self._site.server() as server, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            environment = self._site.environments(command, run, server, stop)[0]
            started, ended = self._ask(command, environment, out, err)
            pid = started.result(_START_SECONDS)
            try:
                code, reason = ended.result(seconds), ""
            except TimeoutError:
                code, reason = None, f"it ran longer than {seconds:.0f} s"
            finally:
                _end_session(pid)
            lines = _tail(err)
        (run / "output.log").write_text("\n".join(lines), encoding="utf-8")
        return RunOutcome(
            records=run / "records",
            trace=read_trace(run / "records"),
            code=code,
            reason=reason,
            last_words=last_words(lines),
            seconds=time.monotonic() - began,
            forked=True,
        )

    def _ask(
        self, command: ProgramCommand, environment: Mapping[str, str], out: IO[bytes], err: IO[bytes]
    ) -> "tuple[Future[int], Future[int]]":
        with self._lock:
            self._next += 1
            program, arguments = _runnable(command)
            futures = self._waiting[self._next] = (Future(), Future())
            message = {
                "id": self._next,
                "program": program,
                "arguments": arguments,
                "environment": dict(environment),
                "folder": str(self._site.request.folder),
            }
            try:
                _send(self._connection, message, [out.fileno(), err.fileno()])
            except OSError as error:
                raise ForkError("the warm process ended") from error
        return futures

    def close(self) -> None:
        """End the process and everything below it."""
        connection = getattr(self, "_connection", None)
        if connection is not None:
            with contextlib.suppress(OSError):  # it may have hung up first
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._launcher.send_signal(signal.SIGTERM)
        self._launcher.wait()
        self._folder.cleanup()


def _runnable(command: ProgramCommand) -> tuple[list[str], list[str]]:
    """Return what Python runs and the words that it reads. ForkError when the command is not Python's."""
    if command.target:
        return list(command.target), list(command.arguments)
    script = shutil.which(command.program[0])
    if script is None or first_line_interpreter(Path(script)) is None:
        raise ForkError("what the command starts is not a Python script or module")
    return [script], [*command.program[1:], *command.arguments]


def _send(connection: socket.socket, message: dict[str, Any], descriptors: list[int]) -> None:
    data = json.dumps(message).encode() + b"\n"
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    sent = connection.sendmsg([data], rights)
    connection.sendall(data[sent:])


def _end_session(leader: int) -> None:
    """Kill what a program left behind: everything in the session that its fork began."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] not in "ZX":
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue  # it ended meanwhile


def _tail(file: IO[bytes]) -> list[str]:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_BYTES))
    return [redact(line) for line in file.read().decode("utf-8", "replace").splitlines()]

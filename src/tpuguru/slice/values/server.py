"""Start and stop the values service."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tpuguru.base.errors import ToolFailureError

_MODULE = "tpuguru.slice.values.service"
_SECONDS_TO_START = 60


def _environment() -> dict[str, str]:
    """Return an environment in which this very tpuguru is found, installed or not."""
    root = str(Path(__file__).resolve().parents[3])
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    }


class ValuesServer:
    """A running service: its socket, and the events it has told so far."""

    def __init__(self, python: str, patience_seconds: float, *, control_only: bool = False) -> None:
        """Start it; ``python`` is the interpreter with jaxlib that computes (empty: no values).

        ``control_only``: compute only what ranks tell each other.
        """
        # A Unix socket's path may have 107 characters, so it cannot lie in the run's own folder.
        self._folder = Path(tempfile.mkdtemp(prefix="tpuguru-"))
        self.socket = self._folder / "values"
        self.events: list[dict[str, Any]] = []
        self.notes: list[str] = []
        """What a person should know; whole when the service has been closed."""
        self._ready = threading.Event()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                _MODULE,
                "--socket",
                str(self.socket),
                "--python",
                python,
                "--patience",
                str(patience_seconds),
                *(["--control-only"] if control_only else []),
            ],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the program; we end when our standard input does
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        if not self._ready.wait(_SECONDS_TO_START) or self._process.poll() is not None:
            self.close()
            raise ToolFailureError("the values service did not start")

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        for line in self._process.stdout:
            event = json.loads(line)
            if event["event"] == "ready":
                self._ready.set()
            elif event["event"] == "note":
                self.notes.append(event["text"])
            else:
                self.events.append(event)
        self._ready.set()

    def close(self) -> None:
        """End it and remove its socket."""
        if self._ready.is_set() and self._process.poll() is not None:
            self.notes.append("the values service ended early; what was read after that is not known")
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(timeout=5)
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def values_server(
    python: str, patience_seconds: float = 60, *, control_only: bool = False
) -> Iterator[ValuesServer]:
    """Run a service as long as the block."""
    server = ValuesServer(python, patience_seconds, control_only=control_only)
    try:
        yield server
    finally:
        server.close()

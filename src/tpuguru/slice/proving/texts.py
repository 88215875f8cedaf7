"""The texts of programs, by which they are compared: made by the user's own jaxlib, each once."""

import hashlib
import json
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.worker import worker_command


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program's name, the hash by which it is compared, and the file with its text.

    Without a file only its bytes could be hashed, source locations and all.
    """

    name: str
    identity: str
    path: Path | None = None

    def lines(self) -> list[str]:
        """Return the text's lines, read anew: programs can be big, and few are ever looked at."""
        return self.path.read_text(encoding="utf-8").splitlines() if self.path else []


class ProgramTexts:
    """Reads texts through one worker process, started at the first question."""

    def __init__(self, interpreter: Interpreter, folder: Path) -> None:
        """``folder`` holds what was sent to the compiler, by the hash of its content."""
        self._interpreter = interpreter
        self._folder = folder
        self._worker: subprocess.Popen[str] | None = None
        self._known: dict[Path, ProgramText] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker is not None and self._worker.stdin is not None:
            self._worker.stdin.close()
            self._worker.terminate()
            self._worker.wait()

    def program(self, name: str) -> ProgramText:
        """Return what was sent under the hash ``name``."""
        return self.of(self._folder / f"{name}.program")

    def options(self, name: str) -> bytes:
        """Return compile options by their hash."""
        return (self._folder / f"{name}.options").read_bytes()

    def of(self, path: Path) -> ProgramText:
        """Return the text of a serialised program."""
        with self._lock:
            if path not in self._known:
                self._known[path] = self._read(path)
            return self._known[path]

    def _read(self, path: Path) -> ProgramText:
        told = self._ask(path) if self._interpreter.has_jaxlib else {}
        if "path" in told:
            text = Path(told["path"])
            return ProgramText(told["name"], hashlib.sha256(text.read_bytes()).hexdigest(), text)
        content = path.read_bytes() if path.is_file() else b""
        return ProgramText("", hashlib.sha256(content).hexdigest())

    def _ask(self, path: Path) -> dict[str, str]:
        worker = self._worker = self._worker or self._start()
        assert worker.stdin is not None  # noqa: S101 - it was asked for
        assert worker.stdout is not None  # noqa: S101
        try:
            worker.stdin.write(json.dumps({"path": str(path)}) + "\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
        except OSError:
            line = ""
        if not line:  # it crashed; another one may read the next
            worker.wait()
            self._worker = None
            return {}
        told: dict[str, str] = json.loads(line)
        return told

    def _start(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            worker_command(str(self._interpreter.python), "canonical_programs"),
            env=os.environ | {"JAX_PLATFORMS": "cpu"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the program
        )

"""What an executor does: start a worker with its pipes, and stop it with everything it started."""

import subprocess  # noqa: TC003 - named in annotations that tools resolve
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

WORKERS = Path(__file__).resolve().parents[1] / "workers"


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """How to start a worker. ``folder`` is the only place where it may write; it is its working area."""

    python: Path
    worker: str
    folder: Path
    environment: Mapping[str, str]

    @property
    def stdout_log(self) -> Path:
        """Where prints to stdout go."""
        return self.folder / "logs" / "worker.out"

    @property
    def stderr_log(self) -> Path:
        """Where prints to stderr go."""
        return self.folder / "logs" / "worker.err"

    @property
    def work(self) -> Path:
        """The working directory, with the home and temporary folders of the worker."""
        return self.folder / "work"


class Executor(Protocol):
    """Starts and stops workers."""

    name: str

    def start(self, plan: WorkerPlan) -> "subprocess.Popen[str]":
        """Start the worker with stdin and stdout as pipes, as the leader of its own process group."""

    def stop(self, process: "subprocess.Popen[str]", plan: WorkerPlan) -> None:
        """End the worker and everything it started; returns when it is gone."""

    def resident_bytes(self, process: "subprocess.Popen[str]") -> int:
        """Return the resident memory of the worker and its children, or 0 where it cannot be seen."""

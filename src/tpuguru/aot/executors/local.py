"""Run a worker as a process of this machine."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tpuguru.aot.executors.interface import WORKERS, WorkerPlan

_GRACE_SECONDS = 5.0


class LocalExecutor:
    """The default executor."""

    name = "local"

    def start(self, plan: WorkerPlan) -> "subprocess.Popen[str]":
        """Start the toolchain's Python with the environment of the plan and nothing else."""
        words = [str(plan.python), "-P", "-s", str(WORKERS / "run.py"), plan.worker, str(plan.stdout_log)]
        return launch(words, plan, environment=plan.environment)

    def stop(self, process: "subprocess.Popen[str]", plan: WorkerPlan) -> None:  # noqa: ARG002
        """End the worker's process group: asked first, then killed."""
        stop_group(process)

    def resident_bytes(self, process: "subprocess.Popen[str]") -> int:
        """Add up the resident sets of the worker's process group.

        The address space is no measure: libtpu maps tens of GiB that it never touches, so RLIMIT_AS would
        stop compiles that need one GiB.
        """
        return sum(_resident(path) for path in Path("/proc").glob("[0-9]*") if _group(path) == process.pid)


def launch(
    words: Sequence[str], plan: WorkerPlan, *, environment: Mapping[str, str] | None
) -> "subprocess.Popen[str]":
    """Start ``words`` in the plan's folder, in a process group of its own, its stderr in the log."""
    for folder in (plan.stdout_log.parent, plan.work / "home", plan.work / "tmp"):
        folder.mkdir(parents=True, exist_ok=True)
    with plan.stderr_log.open("ab") as log:
        return subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=plan.work,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )


def stop_group(process: "subprocess.Popen[str]") -> None:
    """Ask the process group to end, then kill what is left of it, and reap."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _group(process: Path) -> int:
    try:
        # Fields after the command's closing bracket: state, parent, process group, …
        return int((process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return -1


def _resident(process: Path) -> int:
    try:
        return int((process / "statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0

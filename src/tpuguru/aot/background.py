"""Submit a job: a process of its own sees it through; the caller goes on once the run has its id."""

import json
import os
import signal
import subprocess
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from types import FrameType

from tpuguru.aot.events import Event, OnEvent, event_of_line, ignore
from tpuguru.aot.executors import executor_named
from tpuguru.aot.job import AotJob
from tpuguru.aot.runs import known_run, require_installed, run
from tpuguru.aot.secrets import without_secrets
from tpuguru.aot.serial import job_of_json, job_to_json
from tpuguru.aot.store import RunStore
from tpuguru.aot.toolchains import find_toolchain
from tpuguru.base.errors import ToolFailureError, TpuguruError

# Events after which the run can be found in the store by the id they hold.
_NAMING = ("identified", "known", "attached", "done")


def submit(job: AotJob, *, on_event: OnEvent = ignore) -> str:
    """Start the job in the background and return its run's id.

    The id depends on the resolved settings, so that this takes as long as the framework's imports unless the
    question was asked before. ToolFailureError when the toolchain is missing or the process ends without an
    id.
    """
    job = without_secrets(job)
    known = known_run(job)
    if known is not None:
        on_event(Event("known", data={"run_id": known.run_id}))
        return known.run_id
    executor_named(job.executor)  # a wrong name or configuration is said here, not in the background
    require_installed(find_toolchain(job.toolchain), job)
    path = _hand_over(job)
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        return _id_from(process, on_event)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def _hand_over(job: AotJob) -> Path:
    folder = RunStore().attempts()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{uuid.uuid4().hex}.job"
    path.write_bytes(job_to_json(job))
    return path


def _id_from(process: "subprocess.Popen[str]", on_event: OnEvent) -> str:
    """Repeat the background process's events until it names the run."""
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    with process.stdout:
        for line in process.stdout:
            event = event_of_line(line)
            if event is None:
                continue
            if event.name == "error":
                raise ToolFailureError(str(event.data["message"]))
            on_event(event)
            if event.name in _NAMING:
                return str(event.data["run_id"])
    raise ToolFailureError(f"the background process ended with status {process.wait()} and named no run")


class _Announcer:
    """Writes events to stdout until the run is named; then nobody listens any more, and stdout is closed."""

    def __init__(self) -> None:
        self._open = True

    def __call__(self, event: Event) -> None:
        if not self._open:
            return
        data = {key: value for key, value in event.data.items() if key != "config"}
        with suppress(OSError):
            sys.stdout.write(
                json.dumps({"event": event.name, "at": event.at, "data": data}, default=str) + "\n"
            )
            sys.stdout.flush()
        if event.name in _NAMING:
            self._open = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """See the job in the file ``arguments[0]`` through; the file is deleted once it is read."""
    # A background process may have inherited «ignore SIGINT»; cancelling needs both signals.
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    path = Path(arguments[0])
    job = job_of_json(path.read_bytes())
    path.unlink()
    say = _Announcer()
    try:
        record = run(job, on_event=say)
    except TpuguruError as error:
        say(Event("error", data={"message": error.message}))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    say(Event("done", data={"run_id": record.run_id}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

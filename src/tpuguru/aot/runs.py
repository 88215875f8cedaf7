"""The door to runs: run a job, submit it, wait for it, cancel it, list what was done."""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.aot import identity
from tpuguru.aot.events import Event, OnEvent, event_of_line, ignore
from tpuguru.aot.job import AotJob, Step
from tpuguru.aot.locks import is_locked
from tpuguru.aot.record import Failure, FailureKind, RunRecord, RunState
from tpuguru.aot.secrets import without_secrets
from tpuguru.aot.store import RunRow, RunStore
from tpuguru.aot.supervision import Busy, Supervision
from tpuguru.aot.toolchains import Toolchain, find_toolchain
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.suggest import did_you_mean

_POLL_SECONDS = 0.3
_CANCEL_SECONDS = 30.0


def run(job: AotJob, *, on_event: OnEvent = ignore, force: bool = False) -> RunRecord:
    """Answer the job: at once when it was answered before, else by waiting or working.

    A failed run is returned, not raised. KeyboardInterrupt cancels: the worker is gone and the run reads
    «cancelled» when it is raised again. ToolFailureError when the toolchain is not installed.
    """
    job, store, toolchain = without_secrets(job), RunStore(), find_toolchain(job.toolchain)
    request = identity.request_hash(job, toolchain.lock_sha256)
    if force:
        _forget(store, request)
    known = _known(store, request)
    if known is not None:
        on_event(Event("known", data={"run_id": known.run_id}))
        return known
    require_installed(toolchain, job)
    while True:
        try:
            return Supervision(store, toolchain, job, on_event).go()
        except Busy as busy:
            on_event(Event("attached", data={"run_id": busy.run_id}))
            record = _follow(store, busy.run_id, on_event)
            if record is not None:
                return record


def known_run(job: AotJob) -> RunRecord | None:
    """Return the stored answer to the job, or None; starts nothing."""
    job, store = without_secrets(job), RunStore()
    return _known(store, identity.request_hash(job, find_toolchain(job.toolchain).lock_sha256))


def wait(run_id: str, *, on_event: OnEvent = ignore) -> RunRecord:
    """Wait until nobody works on the run any more and return its record. UsageError for an unknown run."""
    store = RunStore()
    _require_known(store, run_id)
    return _follow(store, run_id, on_event) or open_run(run_id)


def open_run(run_id: str) -> RunRecord:
    """Return a run's record as it stands. UsageError for an unknown run."""
    store = RunStore()
    row = _reconciled(store, _require_known(store, run_id))
    record = store.record(row.run_id)
    if record is not None and row.state not in (RunState.RUNNING, RunState.QUEUED):
        return record
    failure = (
        Failure(FailureKind(row.failure), "its process died before it was done") if row.failure else None
    )
    folder = Path(row.attempt) if row.attempt else Path()
    return RunRecord(
        row.run_id, row.state, row.toolchain, "", topology=row.topology, failure=failure, folder=folder
    )


def list_runs() -> list[RunRow]:
    """Return every run, the newest first; those whose process died are shown as failed."""
    store = RunStore()
    return [_reconciled(store, row) for row in store.rows()]


def cancel(run_id: str) -> RunState:
    """Ask the process that works on the run to stop, and return the state it ended in."""
    store = RunStore()
    row = _require_known(store, run_id)
    if not is_locked(store.guard(row.run_id)):
        return _reconciled(store, row).state
    with suppress(ProcessLookupError):
        os.kill(row.pid, signal.SIGINT)
    deadline = time.monotonic() + _CANCEL_SECONDS
    while is_locked(store.guard(row.run_id)):
        if time.monotonic() > deadline:
            raise ToolFailureError(f"run {row.run_id} does not stop", help=f"its process is {row.pid}")
        time.sleep(_POLL_SECONDS)
    return _reconciled(store, _require_known(store, row.run_id)).state


def remove_run(run_id: str) -> None:
    """Delete a run: its folder and its line. UsageError while it is going."""
    import shutil  # noqa: PLC0415

    store = RunStore()
    row = _require_known(store, run_id)
    if is_locked(store.guard(row.run_id)):
        raise UsageError(f"run {row.run_id} is going", help=f"tpuguru runs cancel {row.run_id}")
    shutil.rmtree(store.folder(row.run_id), ignore_errors=True)
    store.forget(row.run_id)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The configuration as the framework resolves it, or its refusal.

    ``groups`` maps each key to the part of the framework's configuration that declares it; ``stated`` are the
    keys that the framework takes as set by the user.
    """

    config: Mapping[str, object]
    groups: Mapping[str, str]
    stated: tuple[str, ...]
    rejection: Failure | None = None


def resolve(job: AotJob, *, on_event: OnEvent = ignore) -> Resolution:
    """Let the framework resolve the configuration. A rejection is an answer.

    ToolFailureError when it cannot run.
    """
    from tpuguru.aot.resolving import resolution_of_run  # noqa: PLC0415

    return resolution_of_run(run(replace(job, until=Step.RESOLVE), on_event=on_event))


def require_installed(toolchain: Toolchain, job: AotJob) -> None:
    """Raise ToolFailureError, with the command that helps, unless the toolchain can run the job."""
    if job.executor == "local" and not toolchain.installed():
        raise ToolFailureError(
            f"the toolchain {toolchain.key} is not installed",
            help=f"tpuguru toolchain install '{toolchain.key}'",
        )


def raise_if_tool_failed(record: RunRecord) -> RunRecord:
    """Return the record of an answer; ToolFailureError for a failure that says nothing about the launch."""
    failure = record.failure
    if failure is None or failure.kind.is_verdict:
        return record
    helps = {
        FailureKind.TOOLCHAIN_BROKEN: f"tpuguru toolchain remove '{record.toolchain}' && "
        f"tpuguru toolchain install '{record.toolchain}'",
        FailureKind.OUT_OF_TIME: "give it more time with --timeout",
        FailureKind.DISK_FULL: "free some space, or set XDG_STATE_HOME to a larger disk",
    }
    raise ToolFailureError(
        f"the run {record.run_id} gave no answer ({failure.kind}): {failure.message}",
        help=helps.get(failure.kind, f"its log: {record.folder / 'logs' / 'worker.err'}"),
    )


def _known(store: RunStore, request: str) -> RunRecord | None:
    run_id = store.run_of_request(request)
    return store.finished(run_id) if run_id else None


def _forget(store: RunStore, request: str) -> None:
    run_id = store.run_of_request(request)
    if run_id is not None and not is_locked(store.guard(run_id)):
        remove_run(run_id)


def _require_known(store: RunStore, run_id: str) -> RunRow:
    """Return the row of a run named by its id or by an unambiguous beginning of it."""
    rows = store.rows()
    found = [row for row in rows if run_id and row.run_id.startswith(run_id)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"run {run_id!r} is ambiguous", help=f"it could be {', '.join(row.run_id for row in found)}"
        )
    near = did_you_mean(run_id, [row.run_id for row in rows])
    raise UsageError(
        f"no run {run_id!r}", help=f"did you mean {near[0]}?" if near else "tpuguru runs lists all"
    )


def _reconciled(store: RunStore, row: RunRow) -> RunRow:
    """Correct the state of a run whose process was killed: its lock is free, and nobody wrote the end."""
    if row.state not in (RunState.RUNNING, RunState.QUEUED) or is_locked(store.guard(row.run_id)):
        return row
    record = RunRecord(row.run_id, RunState.FAILED, row.toolchain, "", topology=row.topology)
    store.put_state(record, failure=FailureKind.WORKER_LOST)
    return replace(row, state=RunState.FAILED, failure=FailureKind.WORKER_LOST, attempt="", pid=0)


def _follow(store: RunStore, run_id: str, on_event: OnEvent) -> RunRecord | None:
    """Repeat the events of a run that another process works on until it ends; None when it left no answer."""
    row = store.row(run_id)
    journal = Path(row.attempt) / "events.jsonl" if row and row.attempt else None
    position = 0
    while is_locked(store.guard(run_id)):
        position = _repeat_events(journal, position, on_event)
        time.sleep(_POLL_SECONDS)
    return store.record(run_id)


def _repeat_events(journal: Path | None, position: int, on_event: OnEvent) -> int:
    with suppress(OSError):
        if journal is not None and journal.stat().st_size > position:
            with journal.open(encoding="utf-8") as lines:
                lines.seek(position)
                text = lines.read()
            whole = text[: text.rfind("\n") + 1]
            for line in whole.splitlines():
                if (event := event_of_line(line)) is not None:
                    on_event(event)
            return position + len(whole.encode())
    return position

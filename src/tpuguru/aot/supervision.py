"""See one job through: worker, phases, states, and what is written at the end."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from tpuguru.aot import environment, identity, work
from tpuguru.aot.artifacts_index import LLO_LIMIT_BYTES, trim_llo
from tpuguru.aot.attempt import Attempt
from tpuguru.aot.events import Event, OnEvent
from tpuguru.aot.executors import WorkerPlan, executor_named
from tpuguru.aot.job import AotJob, Step
from tpuguru.aot.locks import try_lock, unlock
from tpuguru.aot.record import Failure, FailureKind, RunRecord, RunState
from tpuguru.aot.serial import job_to_json
from tpuguru.aot.session import WorkerSession, WorkFailed, disk_problem
from tpuguru.aot.slots import compile_slot
from tpuguru.aot.store import RunStore
from tpuguru.aot.toolchains import Toolchain
from tpuguru.base.units import format_bytes


class Busy(Exception):  # noqa: N818 - an outcome
    """Another process is working on the same run."""

    def __init__(self, run_id: str) -> None:
        """Name the run."""
        super().__init__(run_id)
        self.run_id = run_id


class Supervision:
    """One attempt at one job."""

    def __init__(self, store: RunStore, toolchain: Toolchain, job: AotJob, on_event: OnEvent) -> None:
        """Prepare; :meth:`go` does the work."""
        self._store = store
        self._toolchain = toolchain
        self._job = job
        self._listener = on_event
        self._progress = work.Progress()
        self._request = identity.request_hash(job, toolchain.lock_sha256)
        self._notes = environment.notes(job)

    def go(self) -> RunRecord:
        """Return the finished run's record. Busy when another process is at it; KeyboardInterrupt cancels."""
        with Attempt(self._store) as attempt, ExitStack() as held:
            self._attempt = attempt
            self._say("started", toolchain=self._toolchain.key)
            session = held.enter_context(self._session(attempt))
            try:
                run_id = self._identify(session)
            except WorkFailed as stopped:
                # Without a resolved configuration the question as written is the best identity there is.
                run_id = identity.digest(["unresolved", self._request])[:20]
                held.enter_context(self._claim(run_id))
                self._state(run_id, RunState.RUNNING)
                return self._failed(run_id, stopped.failure)
            held.enter_context(self._claim(run_id))
            known = self._store.finished(run_id)
            if known is not None:
                self._store.remember_request(self._request, run_id)
                self._say("known", run_id=run_id)
                return known
            return self._finish(session, run_id)

    def _session(self, attempt: Attempt) -> WorkerSession:
        folder = attempt.folder
        plan = WorkerPlan(
            python=self._toolchain.python,
            worker=self._toolchain.worker,
            folder=folder,
            environment=environment.worker_environment(self._job, folder),
        )
        return WorkerSession(executor_named(self._job.executor), plan, self._job.limits, self._on_event)

    def _identify(self, session: WorkerSession) -> str:
        work.load(session, self._progress, self._on_event)
        resolution = work.resolve(session, self._job, self._progress)
        work.write_resolution(self._attempt.folder, resolution)
        config = resolution["config"]
        run_id = identity.run_id(
            self._job, self._toolchain.lock_sha256, config if isinstance(config, Mapping) else {}
        )
        self._say("resolved", config=config)
        return run_id

    @contextmanager
    def _claim(self, run_id: str) -> Iterator[None]:
        """Hold the run's guard, so that nobody else works on it; Busy when somebody does."""
        guard = try_lock(self._store.guard(run_id))
        if guard is None:
            raise Busy(run_id)
        try:
            yield
        finally:
            unlock(guard)

    def _finish(self, session: WorkerSession, run_id: str) -> RunRecord:
        self._state(run_id, RunState.RUNNING)
        self._say("identified", run_id=run_id)
        try:
            self._lower_and_compile(session, run_id)
        except WorkFailed as stopped:
            return self._failed(run_id, stopped.failure, session)
        except KeyboardInterrupt:
            self._say("cancelled")
            self._state(run_id, RunState.CANCELLED)
            raise
        return self._keep(self._record(run_id, RunState.SUCCEEDED, session))

    def _lower_and_compile(self, session: WorkerSession, run_id: str) -> None:
        with ExitStack() as held:

            def queue() -> None:
                waited = held.enter_context(
                    compile_slot(self._store.root / ".guards", lambda: self._queued(run_id))
                )
                session.allow_more(waited)
                self._state(run_id, RunState.RUNNING)

            work.lower_and_compile(session, self._job, self._attempt.folder, self._progress, queue)
        if self._job.until is Step.COMPILE:
            self._require_artifacts()

    def _queued(self, run_id: str) -> None:
        self._state(run_id, RunState.QUEUED)
        self._say("queued")

    def _require_artifacts(self) -> None:
        """Fail the run when its dump is missing: the compiler itself goes on when it cannot write one."""
        problem = disk_problem(self._attempt.folder, self._job.limits.disk_bytes)
        wanted = self._job.dump.hlo
        if (
            not problem
            and wanted
            and not any((self._attempt.folder / "dump").glob("*after_optimizations.txt"))
        ):
            problem = "the compiler left no dump of the optimised program"
        if problem:
            raise WorkFailed(Failure(FailureKind.DISK_FULL, problem, "compile"))

    def _failed(self, run_id: str, failure: Failure, session: WorkerSession | None = None) -> RunRecord:
        failure = self._diagnosed(failure)
        record = self._record(run_id, RunState.FAILED, session, failure)
        self._say(
            "failed", kind=failure.kind, message=failure.message, phase=failure.phase, code=failure.code
        )
        return self._keep(record)

    def _diagnosed(self, failure: Failure) -> Failure:
        """Say what is broken in the toolchain rather than which import noticed it."""
        if failure.kind is not FailureKind.TOOLCHAIN_BROKEN:
            return failure
        problem = self._toolchain.health_check()
        return replace(failure, message=f"{problem}; {failure.message}") if problem else failure

    def _keep(self, record: RunRecord) -> RunRecord:
        count, size = trim_llo(self._attempt.folder / "llo")
        if count:
            note = (
                f"{count} LLO files left out ({format_bytes(size)}): {format_bytes(LLO_LIMIT_BYTES)} are kept"
            )
            record = replace(record, notes=(*record.notes, note))
        (self._attempt.folder / "job.json").write_bytes(job_to_json(self._job))
        self._say("finished", run_id=record.run_id, state=record.state)
        folder = self._attempt.keep(record)
        self._store.put_state(record, failure=record.failure.kind if record.failure else None)
        self._store.remember_request(self._request, record.run_id)
        return replace(record, folder=folder)

    def _record(
        self,
        run_id: str,
        state: RunState,
        session: WorkerSession | None = None,
        failure: Failure | None = None,
    ) -> RunRecord:
        progress = self._progress
        return RunRecord(
            run_id=run_id,
            state=state,
            toolchain=self._toolchain.key,
            lock_sha256=self._toolchain.lock_sha256,
            versions=dict(progress.versions or self._toolchain.versions()),
            topology=self._job.target.topology,
            slices=self._job.target.slices,
            until=self._job.until,
            executor=self._job.executor,
            failure=failure,
            phases=tuple(progress.phases),
            stablehlo_sha256=progress.stablehlo_sha256,
            optimized_sha256=progress.optimized_sha256,
            mesh=progress.mesh,
            host_offload_annotations=progress.host_offload_annotations,
            memory=progress.memory,
            cost=progress.cost,
            peak_rss_bytes=session.peak_rss_bytes if session else 0,
            seconds=round(self._attempt.seconds, 3),
            notes=self._notes,
        )

    def _state(self, run_id: str, state: RunState) -> None:
        self._store.put_state(self._record(run_id, state), attempt=str(self._attempt.folder), pid=os.getpid())

    def _say(self, name: str, **data: object) -> None:
        self._on_event(Event(name, data=data))

    def _on_event(self, event: Event) -> None:
        self._listener(self._attempt.note(event))

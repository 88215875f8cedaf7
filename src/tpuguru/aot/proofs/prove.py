"""Prove a job's settings: one warm worker, every answer kept, within a budget."""

import time
from contextlib import ExitStack
from dataclasses import replace

from tpuguru.aot import environment
from tpuguru.aot.attempt import Attempt
from tpuguru.aot.events import Event, OnEvent, ignore
from tpuguru.aot.executors import WorkerPlan, executor_named
from tpuguru.aot.job import AotJob, CompilerFlags
from tpuguru.aot.proofs.knowledge import SettingKnowledge, setting_knowledge
from tpuguru.aot.proofs.model import DeadSettingProof, ProofReport, ProveLevel, Verdict
from tpuguru.aot.proofs.prover import Prover
from tpuguru.aot.proofs.worker_oracle import WorkerOracle
from tpuguru.aot.proofs.written import written_settings
from tpuguru.aot.runs import require_installed
from tpuguru.aot.secrets import without_secrets
from tpuguru.aot.session import WorkerSession, WorkFailed
from tpuguru.aot.store import RunStore
from tpuguru.aot.toolchains import Toolchain, find_toolchain
from tpuguru.base.errors import ToolFailureError

DEFAULT_BUDGET_SECONDS = 120.0


def prove(
    job: AotJob,
    *,
    level: ProveLevel = ProveLevel.FAST,
    on_event: OnEvent = ignore,
    budget_seconds: float = DEFAULT_BUDGET_SECONDS,
) -> ProofReport:
    """Return the verdict on every written setting, and on every compiler flag with ``level`` ALL.

    The budget is in CPU seconds of the worker after its imports; what it does not reach is «untested», never
    guessed.
    ToolFailureError when the toolchain is missing or the worker cannot answer.
    """
    job = without_secrets(job)
    if level is ProveLevel.NONE:
        return ProofReport(proofs=_untested(job))
    toolchain = find_toolchain(job.toolchain)
    require_installed(toolchain, job)
    started = time.monotonic()
    with ExitStack() as held:
        warm = _WarmWorker(held, RunStore(), toolchain, job, on_event)
        oracle = WorkerOracle(warm.store, toolchain.lock_sha256, job, warm.session, budget_seconds)
        prover = Prover(oracle, written_settings(job), _knowledge(toolchain))

        def progress(done: int, total: int) -> None:
            on_event(Event("proving", time.monotonic() - started, {"done": done, "total": total}))

        try:
            proofs = prover.run(progress)
        except WorkFailed as stopped:
            raise _tool_failure(toolchain, stopped) from stopped
    if level is ProveLevel.ALL:
        from tpuguru.aot.proofs.flags import prove_flags  # noqa: PLC0415

        proofs += prove_flags(job, on_event=on_event)
    return ProofReport(
        proofs=tuple(proofs),
        program_hash=prover.program_hash,
        refusal=prover.refusal,
        deterministic=prover.deterministic,
        lowered=oracle.lowered,
        seconds=round(time.monotonic() - started, 3),
        import_seconds=warm.import_seconds,
        notes=environment.notes(job),
    )


class _WarmWorker:
    """Starts the worker on the first question: a proof whose answers are all kept starts none."""

    def __init__(
        self, held: ExitStack, store: RunStore, toolchain: Toolchain, job: AotJob, on_event: OnEvent
    ) -> None:
        self.store = store
        self.import_seconds = 0.0
        self._held = held
        self._toolchain = toolchain
        self._job = job
        self._on_event = on_event
        self._session: WorkerSession | None = None

    def session(self) -> WorkerSession:
        if self._session is None:
            self._session = self._start()
        return self._session

    def _start(self) -> WorkerSession:
        started = time.monotonic()
        self._on_event(Event("started", data={"toolchain": self._toolchain.key}))
        folder = self._held.enter_context(Attempt(self.store)).folder
        # Flags do not change what is lowered, and a bad one would stop the worker.
        unflagged = environment.worker_environment(_without_flags(self._job), folder)
        plan = WorkerPlan(self._toolchain.python, self._toolchain.worker, folder, unflagged)
        session = WorkerSession(executor_named(self._job.executor), plan, self._job.limits, self._on_event)
        self._held.enter_context(session)
        session.ask("load")
        self.import_seconds = round(time.monotonic() - started, 3)
        self._on_event(Event("loaded", data={"seconds": self.import_seconds}))
        return session


def _without_flags(job: AotJob) -> AotJob:
    return replace(job, flags=CompilerFlags())


def _knowledge(toolchain: Toolchain) -> SettingKnowledge:
    framework, _, version = toolchain.key.split(",", maxsplit=1)[0].partition("==")
    return setting_knowledge(framework, version)


def _untested(job: AotJob) -> tuple[DeadSettingProof, ...]:
    return tuple(
        DeadSettingProof(setting.key, setting.value, setting.where, Verdict.UNTESTED, reason="not asked for")
        for setting in written_settings(job)
    )


def _tool_failure(toolchain: Toolchain, stopped: WorkFailed) -> ToolFailureError:
    failure = stopped.failure
    return ToolFailureError(
        f"the settings could not be proved ({failure.kind}): {failure.message}",
        help=f"tpuguru toolchain check '{toolchain.key}'",
    )

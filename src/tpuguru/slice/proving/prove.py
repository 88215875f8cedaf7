"""Prove the settings of any JAX or TorchTPU program: the one door of this room."""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue

from tpuguru.base.ablation import OutOfBudgetError, Refusal, Variation
from tpuguru.base.errors import NothingToCheckError
from tpuguru.base.locations import state_directory
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.plan import Processes, choose_processes
from tpuguru.slice.proving.comparison import Comparer
from tpuguru.slice.proving.flags import CompileQuestion, prove_flags
from tpuguru.slice.proving.forks import ForkError, ForkServer
from tpuguru.slice.proving.model import SettingReport
from tpuguru.slice.proving.options import read_imports, read_options
from tpuguru.slice.proving.plain import OnLine, run_plain
from tpuguru.slice.proving.prover import SettingProver
from tpuguru.slice.proving.runs import Runs
from tpuguru.slice.proving.site import RunOutcome, Site
from tpuguru.slice.proving.slice_oracle import SliceOracle
from tpuguru.slice.proving.stops import Stop, after_compiling, choose_stop, main_program, stop_at, up_to
from tpuguru.slice.proving.texts import ProgramTexts
from tpuguru.slice.proving.trace import Asked, Trace
from tpuguru.slice.proving.written import written_settings
from tpuguru.slice.rehearse import RehearsalRequest, new_run_id, prepare
from tpuguru.slice.values.server import ValuesServer, values_server

_DEFAULT_EXECUTIONS = 3
_MOST_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """What to prove. ``rehearsal`` bounds each run; ``seconds`` is the wall time of all runs after the first.

    ``stop_at``: bytes of StableHLO, the name of a program, ``end`` for the first steps, or empty: learnt from
    the first run. ``compile_flags``: compiler flags are proved too, with a compile for each question.
    """

    rehearsal: RehearsalRequest
    command: ProgramCommand
    seconds: float = 600
    stop_at: str = ""
    compile_flags: bool = False


type OnProgress = Callable[[str], None]


def prove_settings(request: ProofRequest, on_line: OnLine, on_progress: OnProgress) -> SettingReport:
    """Run the program once as it is, then with its settings left out; return what each does.

    UsageError and ToolFailureError before anything is started; NothingToCheckError when the program never
    asks for a TPU.
    """
    with ExitStack() as stack:
        site = _site(request, stack)
        report = SettingReport(site.folder)
        try:
            _Proof(site, request, stack, report, on_line, on_progress).run()
        except KeyboardInterrupt:
            report.interrupted = True
    _tidy(site.folder)
    return report


class _Proof:
    """One proof, step by step; ``report`` is what is known so far."""

    def __init__(
        self,
        site: Site,
        request: ProofRequest,
        stack: ExitStack,
        report: SettingReport,
        on_line: OnLine,
        on_progress: OnProgress,
    ) -> None:
        self._site = site
        self._request = request
        self._stack = stack
        self._on_line = on_line
        self._on_progress = on_progress
        self._texts = stack.enter_context(ProgramTexts(site.interpreter, site.asked))
        self._comparer = Comparer(self._texts)
        self.report = report

    def run(self) -> None:
        """Make the whole report."""
        started = time.monotonic()
        first = self._first()
        deadline = time.monotonic() + self._request.seconds
        self._runs = Runs(self._site, deadline, first, lambda number: self._on_progress(f"run {number}"))
        notes = self._site.folder / "runs" / "0"
        found = written_settings(self._request.command, read_options(notes))
        self._settings = {setting.key: setting for setting in found}
        if first.failed:
            self._failing(first)
        else:
            self._judge(first, read_imports(notes))
        self.report.runs, self.report.forked = self._runs.count, self._runs.forked
        self.report.seconds = time.monotonic() - started

    def _first(self) -> RunOutcome:
        """Run the program as it is until its steps repeat: what it compiles decides where others may end."""
        self._on_progress("running the program as it is")
        rehearsal = self._request.rehearsal
        stop = Stop(settled=rehearsal.steps or _DEFAULT_EXECUTIONS)
        first = run_plain(
            self._site,
            self._request.command,
            stop,
            self._site.folder / "runs" / "0",
            seconds=rehearsal.seconds,
            on_line=self._on_line,
            observe=True,
        )
        if not first.trace.asked and not first.failed:
            raise NothingToCheckError("the program never sent anything to a TPU's compiler")
        return first

    def _failing(self, first: RunOutcome) -> None:
        self.report.refusal = first.reason or first.last_words or f"it ended with code {first.code}"
        stop = Stop(settled=self._request.rehearsal.steps or _DEFAULT_EXECUTIONS)
        self.report.proofs = tuple(self._prover(self._oracle(stop)).find_harmful())

    def _judge(self, first: RunOutcome, imports: list[str]) -> None:
        stop = self._stop(first.trace)
        base = self._describe(first.trace, stop)
        self._start_forks(imports)
        oracle = self._oracle(stop)
        try:
            self.report.judged = self._learn_noise(oracle, base)
        except OutOfBudgetError:
            self.report.notes.append("the time for proving was used up before the program ran a second time")
        prover = self._prover(oracle)
        self.report.proofs = tuple(proofs := prover.run())
        self.report.interrupted = prover.interrupted
        if self._request.compile_flags and not prover.interrupted:
            question = CompileQuestion(
                self._runs, self._texts, self._request.command, self._settings, after_compiling(stop)
            )
            proofs = prove_flags(question, proofs)
        self.report.proofs = tuple(proofs)

    def _stop(self, trace: Trace) -> Stop:
        settled = self._request.rehearsal.steps or _DEFAULT_EXECUTIONS
        wanted = self._request.stop_at
        return stop_at(wanted, trace, settled) if wanted else choose_stop(trace, settled)

    def _describe(self, trace: Trace, stop: Stop) -> Trace:
        base = up_to(trace, stop)
        main = main_program(trace)
        compared = self._names(base.asked, trace)
        self.report.main = self._names((main,), trace)[0] if main else ""
        self.report.until = stop.in_words()
        self.report.compared = compared
        self.report.not_compared = self._names(
            tuple(asked for asked in trace.asked if asked not in base.asked), trace
        )
        return base

    def _names(self, asked: tuple[Asked, ...], trace: Trace) -> tuple[str, ...]:
        sent = self._comparer.sent(replace(trace, asked=asked))
        return tuple(dict.fromkeys(each.name for each in sent))

    def _start_forks(self, imports: list[str]) -> None:
        request, command = self._request.rehearsal, self._request.command
        mode = choose_processes(request.slice, request.processes, command.words, self._site.interpreter)
        if mode is not Processes.ONE:
            self.report.notes.append("each run is fresh processes: several ranks cannot be forked")
            return
        try:
            self._runs.fork_server = self._fork_server(imports)
        except ForkError as error:
            self.report.notes.append(f"each run is a fresh process: {error}")
        else:
            self._stack.callback(self._runs.fork_server.close)

    def _fork_server(self, imports: list[str]) -> ForkServer:
        """Import once; where a module starts threads, only what comes before it. ForkError without forks."""
        self._on_progress(f"importing {len(imports)} modules once")
        try:
            return ForkServer(self._site, self._request.command, imports)
        except ForkError as error:
            if error.culprit not in imports[1:]:
                raise
            before = imports[: imports.index(error.culprit)]
            self.report.notes.append(f"{error.culprit} and what follows is imported in each fork: {error}")
        self._on_progress(f"importing {len(before)} of them, since the next one starts threads")
        return ForkServer(self._site, self._request.command, before)

    def _learn_noise(self, oracle: SliceOracle, base: Trace) -> bool:
        """Run the program again: what differs then differs by itself. False when it cannot be masked."""
        self._on_progress("running it again unchanged, to see what differs by itself")
        if self._same(oracle, base, fresh=False):
            return True
        if self._runs.fork_server is not None and self._same(oracle, base, fresh=True):
            self._runs.fork_server = None
            self.report.notes.append("each run is a fresh process: a fork sends other programs than one")
            return True
        again = oracle.trace(Variation(), fresh=True)
        judged = self._comparer.learn_noise(base, again) and self._same(oracle, base, fresh=False)
        self.report.unstable = self._comparer.noise.programs or tuple(
            change.name for change in self._comparer.changes(base, again)
        )
        return judged

    def _same(self, oracle: SliceOracle, base: Trace, *, fresh: bool) -> bool:
        again = oracle.program(Variation(), fresh=fresh)
        return not isinstance(again, Refusal) and again == self._comparer.program(base)

    def _oracle(self, stop: Stop) -> SliceOracle:
        return SliceOracle(self._runs, self._request.command, self._settings, self._comparer, stop)

    def _prover(self, oracle: SliceOracle) -> SettingProver:
        return SettingProver(oracle, self._settings, judged=self.report.judged, on=self._on_progress)


def _site(request: ProofRequest, stack: ExitStack) -> Site:
    rehearsal = request.rehearsal
    interpreter, library = prepare(rehearsal)
    folder = state_directory() / "proofs" / new_run_id()
    (folder / "asked").mkdir(parents=True)
    at_once = min(len(os.sched_getaffinity(0)), _MOST_AT_ONCE)
    servers: Queue[ValuesServer] = Queue(at_once)
    python = str(interpreter.python) if rehearsal.values and interpreter.has_jaxlib else ""
    for _ in range(at_once):
        servers.put(stack.enter_context(values_server(python, rehearsal.patience_seconds)))
    return Site(rehearsal, interpreter, library, folder, servers)


def _tidy(folder: Path) -> None:
    """Remove what the runs recorded beside their index: what was sent lies once for all in ``asked``."""
    for programs in (folder / "runs").glob("*/records/programs"):
        if programs.parents[1].name != "0":
            shutil.rmtree(programs, ignore_errors=True)

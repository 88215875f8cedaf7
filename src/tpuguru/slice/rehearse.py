"""Run a user's own program on a virtual slice, bounded, and keep what it did."""

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tpuguru.base.errors import ToolFailureError
from tpuguru.base.locations import cache_directory, state_directory
from tpuguru.base.redaction import redact, redact_value
from tpuguru.hardware.slices import Slice
from tpuguru.slice.figures import blank_figures
from tpuguru.slice.guard import DEFAULT_MOST_PROGRAMS, DEFAULT_MOST_READS, Guard
from tpuguru.slice.interpreter import Interpreter, inspect_interpreter, interpreter_of
from tpuguru.slice.launching import events_of, start_launcher
from tpuguru.slice.library import plugin_library
from tpuguru.slice.plan import Processes, Rank, choose_processes, plan_ranks
from tpuguru.slice.ready import says_ready
from tpuguru.slice.run_files import RunFiles, make_folder
from tpuguru.slice.self_test import require_self_test
from tpuguru.slice.settings import SliceSettings, jax_platforms
from tpuguru.slice.texts import texts_written
from tpuguru.slice.values.server import ValuesServer, values_server

if TYPE_CHECKING:
    import subprocess


@dataclass(frozen=True, slots=True)
class RehearsalRequest:
    """What to run, and its bounds. ``memory_bytes`` is of this machine, for all processes together."""

    command: tuple[str, ...]
    slice: Slice
    folder: Path
    variables: tuple[tuple[str, str], ...] = ()
    """What the command sets for itself: ``XLA_FLAGS=… python train.py``."""
    processes: Processes = Processes.AUTO
    steps: int = 0
    values: bool = True
    values_python: Path | None = None
    """A Python with JAX that computes values where the program's own has none."""
    values_help: str = ""
    """How a person gets such a Python."""
    network: bool = False
    seconds: float = 3600
    memory_bytes: int = 0
    hbm_bytes: int = 0
    unknown_zero: bool = False
    """Unknown floats read as 0 instead of NaN: for programs that end themselves at the first NaN."""
    patience_seconds: float = 60
    """Ranks that are idle for so long while others wait for them are taken for a deadlock."""
    unknown_repeats: int = 50
    """So often a loop asks for an unknown value before it is told what ends it."""
    most_programs: int = DEFAULT_MOST_PROGRAMS
    most_reads: int = DEFAULT_MOST_READS
    """Bounds of the guard."""


@dataclass(slots=True)
class Rehearsal:
    """How it went. ``reason`` says why it was ended before the program did; empty when the program ended."""

    run_id: str
    folder: Path
    interpreter: Interpreter
    ranks: int
    codes: list[int | None] = field(default_factory=list)
    reason: str = ""
    network_objection: str = ""
    blanked: int = 0
    deadlocks: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    failed_rank: bool = False
    runaway: str = ""
    """Why the guard ended it."""
    notes: list[str] = field(default_factory=list)
    """What a person should know about how ranks met."""
    ready_at: float = 0.0
    """When a server first said that it takes requests, in seconds of the epoch as the records; 0: never."""

    @property
    def records(self) -> Path:
        """The plugin's records."""
        return self.folder / "records"


type OnLine = Callable[[int, str, str], None]
"""Gets each line that a rank writes: rank, «out» or «err», the line with its figures blanked."""


def rehearse(request: RehearsalRequest, on_line: OnLine) -> Rehearsal:
    """Run to the program's end, or to a bound. UsageError and ToolFailureError before anything is started."""
    interpreter, library = prepare(request)
    run_id = new_run_id()
    rehearsal = Rehearsal(run_id, state_directory() / "rehearsals" / run_id, interpreter, 0)
    make_folder(rehearsal.records)
    started = time.monotonic()
    python_with_jax = interpreter.python if interpreter.has_jaxlib else request.values_python
    if request.values and python_with_jax is None:
        rehearsal.notes.append(_without_values(request, interpreter))
        print(f"note: {rehearsal.notes[-1]}", file=sys.stderr)
    with ExitStack() as stack:
        stack.enter_context(texts_written(rehearsal.records / "programs", python_with_jax))
        server = stack.enter_context(
            values_server(
                str(python_with_jax or ""), request.patience_seconds, control_only=not request.values
            )
        )
        settings = SliceSettings(
            slice=request.slice,
            library=library,
            libtpu=interpreter.libtpu,
            records=rehearsal.records,
            values_socket=str(server.socket),
            cache=cache_directory() / "slice" / "programs",
            hbm_bytes=request.hbm_bytes,
            steps=request.steps,
            unknown_zero=request.unknown_zero,
            unknown_repeats=request.unknown_repeats,
        )
        ranks = plan_ranks(settings, request.processes, request.command, interpreter)
        rehearsal.ranks = len(ranks)
        files = stack.enter_context(RunFiles(rehearsal.folder, rehearsal.notes))
        files.write("job.json", _job(rehearsal, request, ranks))
        _run(rehearsal, request, ranks, server, _Output(files.log, on_line, rehearsal))
        rehearsal.seconds = time.monotonic() - started
    rehearsal.notes += server.notes
    files.write("rehearsal.json", _outcome(rehearsal))
    return rehearsal


def prepare(request: RehearsalRequest) -> tuple[Interpreter, Path]:
    """Return the user's Python and the plugin that fits it. UsageError and ToolFailureError."""
    interpreter = inspect_interpreter(interpreter_of(list(request.command)))
    choose_processes(request.slice, request.processes, request.command, interpreter)  # too many: say so first
    library = plugin_library()
    require_self_test(library, interpreter)
    return interpreter, library


def new_run_id() -> str:
    """Return a name for a kept run: its time, and what tells it from others of the same second."""
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(3)


def environment_shown(request: RehearsalRequest) -> dict[str, str]:
    """Return the variables a rehearsal adds, for the user to see before agreeing."""
    return dict(request.variables) | {
        "TPUGURU_SLICE_TOPOLOGY": request.slice.libtpu_topology,
        "TPU_LIBRARY_PATH": "<tpuguru's plugin>",
        "JAX_PLATFORMS": jax_platforms(),
    }


def _without_values(request: RehearsalRequest, interpreter: Interpreter) -> str:
    """Say that nothing can be computed, and what to do about it."""
    help_ = f"; {request.values_help}" if request.values_help else ""
    return f"values are not computed: {interpreter.python} has no JAX{help_}"


@dataclass(slots=True)
class _Output:
    """Where the ranks' lines go: the log as they are (without secrets), the caller with figures blanked."""

    log: Callable[[str], object]
    on_line: OnLine
    rehearsal: Rehearsal

    def take(self, event: dict[str, Any]) -> None:
        line = redact(str(event["line"]))
        if not self.rehearsal.ready_at and says_ready(line):
            self.rehearsal.ready_at = time.time()
        self.log(f"[{event['rank']} {event['stream']}] {line}\n")
        shown, count = blank_figures(line)
        self.rehearsal.blanked += count
        self.on_line(int(event["rank"]), str(event["stream"]), shown)


def _run(
    rehearsal: Rehearsal, request: RehearsalRequest, ranks: list[Rank], server: ValuesServer, output: _Output
) -> None:
    launcher = start_launcher(
        command=request.command,
        folder=request.folder,
        environments=[rank.joins(os.environ | dict(request.variables)) for rank in ranks],
        seconds=request.seconds,
        memory_bytes=request.memory_bytes,
        network=request.network,
    )
    guard = Guard(rehearsal.records / "index.jsonl", request.most_programs, request.most_reads)
    try:
        for event in events_of(launcher):
            _handle(rehearsal, output, event)
            if event.get("event") == "alive" and not rehearsal.runaway:
                rehearsal.runaway = guard.look()
                if rehearsal.runaway:
                    launcher.send_signal(signal.SIGTERM)
            if server.events and not rehearsal.deadlocks and not rehearsal.failed_rank:
                rehearsal.deadlocks = list(server.events)
                launcher.send_signal(signal.SIGTERM)
    except KeyboardInterrupt:
        rehearsal.interrupted = True
        _finish_interrupted(rehearsal, launcher, output)
    if launcher.wait() != 0 and not rehearsal.reason:
        raise ToolFailureError(f"the process that starts the ranks ended with code {launcher.returncode}")


def _finish_interrupted(rehearsal: Rehearsal, launcher: "subprocess.Popen[str]", output: _Output) -> None:
    """Let the launcher end its ranks; it was interrupted as well, or is now."""
    launcher.send_signal(signal.SIGTERM)
    for event in events_of(launcher):
        _handle(rehearsal, output, event)


def _handle(rehearsal: Rehearsal, output: _Output, event: dict[str, Any]) -> None:
    match event.get("event"):
        case None:
            output.take(event)
        case "network":
            rehearsal.network_objection = event["objection"]
        case "rank_ended":
            # What the others then wait for is a consequence, not a deadlock of the program's own.
            rehearsal.failed_rank = rehearsal.failed_rank or event["code"] != 0
        case "end":
            rehearsal.codes, rehearsal.reason = event["codes"], rehearsal.runaway or event["reason"]


def _job(rehearsal: Rehearsal, request: RehearsalRequest, ranks: list[Rank]) -> dict[str, Any]:
    return {
        "command": [redact(word) for word in request.command],
        "variables": {name: redact_value(name, value) for name, value in request.variables},
        "folder": str(request.folder),
        "slice": request.slice.name,
        "processes": request.processes,
        "steps": request.steps,
        "values": request.values,
        "network": request.network,
        "versions": rehearsal.interpreter.versions,
        "ranks": [rank.environment for rank in ranks],
    }


def _outcome(rehearsal: Rehearsal) -> dict[str, Any]:
    outcome = asdict(rehearsal)
    outcome["interpreter"] = {
        "python": str(rehearsal.interpreter.python),
        "versions": rehearsal.interpreter.versions,
    }
    outcome["folder"] = str(rehearsal.folder)
    return outcome

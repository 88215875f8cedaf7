"""Runs, with a real environment, real processes and a worker without a framework."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.aot import toy

from tpuguru.aot import runs
from tpuguru.aot.artifacts_index import artifacts_of, copy_artifacts, trim_llo
from tpuguru.aot.events import Event
from tpuguru.aot.job import AotJob, CompilerFlags, Limits, Step
from tpuguru.aot.record import FailureKind, RunState
from tpuguru.aot.serial import job_to_json
from tpuguru.aot.store import RunStore
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.units import MiB

_DRIVER = """
import sys
import pytest
from pathlib import Path
from tests.aot import toy
from tpuguru.aot import runs
from tpuguru.aot.serial import job_of_json
toy.use_data(Path(sys.argv[1]), pytest.MonkeyPatch())
try:
    record = runs.run(job_of_json(sys.argv[2].encode()), on_event=lambda e: print(e.name, flush=True))
    print(record.state, record.run_id)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def start(toy_toolchain: AotJob, toy_cache: Path) -> Callable[[AotJob], "subprocess.Popen[str]"]:
    """Start another process that runs a job and prints its events."""

    def begin(job: AotJob) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", _DRIVER, str(toy_cache / "data"), job_to_json(job).decode()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )

    return begin


def until(process: "subprocess.Popen[str]", event: str) -> None:
    """Read a process's output up to an event."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == event:
            return
    raise AssertionError(f"the process ended without {event}")


def test_a_run_leaves_a_whole_folder_and_no_working_files(toy_toolchain: AotJob) -> None:
    """What a run measured is in its record, its files are in place, and nothing of the attempt remains."""
    record = runs.run(toy_toolchain)
    assert record.state is RunState.SUCCEEDED
    assert record.memory is not None
    assert record.memory.fit_bytes == 10 + 5 + 10 - 9
    assert (record.folder / "program" / "train_step.stablehlo.mlir").is_file()
    assert not (record.folder / "work").exists()
    assert list(RunStore().attempts().iterdir()) == []
    kinds = {artifact.kind for artifact in artifacts_of(record)}
    assert {"stdout", "stderr", "StableHLO", "resolved configuration", "record"} <= kinds


def test_the_same_question_is_answered_from_the_store(toy_toolchain: AotJob) -> None:
    """No worker starts for a question that was answered, and the answer is equal."""
    events: list[str] = []
    first = runs.run(toy.job(a=1, b=2))
    second = runs.run(toy.job(b=2, a=1), on_event=lambda event: events.append(event.name))
    assert second == first
    assert events == ["known"]


def test_two_spellings_of_one_configuration_are_one_run(toy_toolchain: AotJob) -> None:
    """A launch that states a default resolves to the launch that does not, and shares its run."""
    events: list[str] = []
    first = runs.run(toy.job(a=1))
    second = runs.run(toy.job(a=1, width=1), on_event=lambda event: events.append(event.name))
    assert second.run_id == first.run_id
    assert "known" in events
    assert "compiling" not in events


def test_flags_and_steps_are_part_of_the_question(toy_toolchain: AotJob) -> None:
    """Other flags, or another last step, are other runs; the order of flags is not."""
    flags = [("--a=1", "--b=2"), ("--b=2", "--a=1"), ("--b=2", "--a=3")]
    ids = [runs.run(replace(toy_toolchain, flags=CompilerFlags(each))).run_id for each in flags]
    assert ids[0] == ids[1] != ids[2]
    assert runs.run(replace(toy_toolchain, until=Step.LOWER)).run_id not in ids


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"wrong": 1}, FailureKind.CONFIG_REJECTED),
        ({"abort": 1}, FailureKind.COMPILER_ABORT),
        ({"error": "RESOURCE_EXHAUSTED:_E1000:_CompileTimeHbmOom:_no"}, FailureKind.HBM_OOM),
        ({"error": "RESOURCE_EXHAUSTED:_E1001:_CompileTimeScopedVmemOom:_no"}, FailureKind.VMEM_OOM),
        ({"exit_with": "ERROR:_Unknown_command_line_flag_'xla_x'"}, FailureKind.FLAG_REJECTED),
        ({"error": "something_new"}, FailureKind.COMPILE_FAILED),
    ],
)
def test_a_verdict_is_a_failed_run_that_is_kept(
    toy_toolchain: AotJob, settings: dict[str, object], kind: FailureKind
) -> None:
    """What framework or compiler refuse is an answer: named, kept with its log, and not asked again."""
    record = runs.run(toy.job(**settings))
    assert record.state is RunState.FAILED
    assert record.failure is not None
    assert record.failure.kind is kind
    assert (record.folder / "logs" / "worker.err").is_file()
    events: list[str] = []
    assert runs.run(toy.job(**settings), on_event=lambda event: events.append(event.name)) == record
    assert events == ["known"]


def test_an_abort_of_the_compiler_keeps_its_last_words(toy_toolchain: AotJob) -> None:
    """SIGABRT in the compiler is a result that says what the failed check was."""
    failure = runs.run(toy.job(abort=1)).failure
    assert failure is not None
    assert "SIGABRT" in failure.message
    assert "it is not so" in failure.message


@pytest.mark.parametrize(
    ("settings", "limits", "kind"),
    [
        ({"sleep": 60}, Limits(seconds=2), FailureKind.OUT_OF_TIME),
        ({"allocate_mib": 700}, Limits(memory_bytes=300 * MiB), FailureKind.OUT_OF_MEMORY),
        ({"write_mib": 40}, Limits(disk_bytes=10 * MiB), FailureKind.DISK_FULL),
        ({"no_dump": 1}, Limits(), FailureKind.DISK_FULL),
    ],
)
def test_a_limit_stops_the_run_and_is_no_answer(
    toy_toolchain: AotJob, settings: dict[str, object], limits: Limits, kind: FailureKind
) -> None:
    """Time, memory and disk are limits of this machine: said in a sentence, and tried again when asked again."""
    job = replace(toy.job(**settings), limits=limits)
    record = runs.run(job)
    assert record.failure is not None
    assert record.failure.kind is kind
    assert runs.known_run(job) is None
    with pytest.raises(ToolFailureError, match=str(kind)):
        runs.raise_if_tool_failed(record)


def test_nothing_secret_reaches_the_store(toy_toolchain: AotJob) -> None:
    """Secrets of the launch never reach the worker, and those that a program prints are taken out of its logs."""
    secret = "hf_" + "q" * 20
    job = replace(toy.job(hf_access_token=secret), config_text=f"hf_access_token: {secret}\n")
    folder = runs.run(job).folder
    rejected = runs.run(toy.job(wrong=1))
    assert rejected.failure is not None
    for path in [*folder.rglob("*"), *rejected.folder.rglob("*"), *RunStore().root.glob("runs.sqlite3*")]:
        if path.is_file():
            content = path.read_bytes()
            assert secret.encode() not in content, path
            assert b"sk-abcdefgh" not in content, path
            assert b"hf_ssss" not in content, path


def test_a_second_process_waits_for_the_first(
    start: Callable[[AotJob], "subprocess.Popen[str]"], toy_toolchain: AotJob
) -> None:
    """Two checks at once of one launch compile once, and both get the answer."""
    first = start(toy.job(sleep=3))
    until(first, "compiling")
    events: list[str] = []
    record = runs.run(toy.job(sleep=3), on_event=lambda event: events.append(event.name))
    output, _ = first.communicate(timeout=30)
    assert output.split()[-2:] == ["succeeded", record.run_id]
    assert "attached" in events
    assert record.state is RunState.SUCCEEDED
    compiles = (record.folder / "events.jsonl").read_text().count('"compiling"')
    assert compiles == 1


def test_a_killed_run_leaves_nothing_that_looks_whole(
    start: Callable[[AotJob], "subprocess.Popen[str]"], toy_toolchain: AotJob
) -> None:
    """After kill -9 the run reads failed, has no folder, its worker is gone, and asking again works."""
    process = start(toy.job(sleep=5))
    until(process, "compiling")
    worker = _worker_of(process)
    process.kill()
    process.wait()
    (row,) = runs.list_runs()
    assert (row.state, row.failure) == (RunState.FAILED, FailureKind.WORKER_LOST)
    assert not RunStore().folder(row.run_id).exists()
    _wait_until(lambda: not Path(f"/proc/{worker}").exists(), "the orphaned worker is still there")
    assert runs.run(toy.job(sleep=5)).state is RunState.SUCCEEDED
    assert list(RunStore().attempts().iterdir()) == []


def test_interrupting_leaves_a_cancelled_run(
    start: Callable[[AotJob], "subprocess.Popen[str]"], toy_toolchain: AotJob
) -> None:
    """Ctrl-C ends the worker, writes the state, leaves no folder, and exits with 130."""
    process = start(toy.job(sleep=30))
    until(process, "compiling")
    worker = _worker_of(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    (row,) = runs.list_runs()
    assert row.state is RunState.CANCELLED
    assert not Path(f"/proc/{worker}").exists()
    assert not RunStore().folder(row.run_id).exists()
    assert runs.open_run(row.run_id[:6]).state is RunState.CANCELLED


def test_cancelling_from_elsewhere(
    start: Callable[[AotJob], "subprocess.Popen[str]"], toy_toolchain: AotJob
) -> None:
    """Any process of the user can cancel a run by its id."""
    process = start(toy.job(sleep=30))
    until(process, "compiling")
    (row,) = runs.list_runs()
    assert row.state is RunState.RUNNING
    assert runs.cancel(row.run_id) is RunState.CANCELLED
    assert process.wait(timeout=20) == 130


def test_a_run_waits_for_a_compile_slot(toy_toolchain: AotJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one slot the second compile queues, says so, and goes on afterwards."""
    monkeypatch.setenv("TPUGURU_COMPILE_SLOTS", "1")
    compiling, events = threading.Event(), list[str]()

    def first() -> None:
        runs.run(toy.job(sleep=2), on_event=lambda event: _note(event, compiling))

    thread = threading.Thread(target=first)
    thread.start()
    assert compiling.wait(timeout=30)
    record = runs.run(toy.job(other=1), on_event=lambda event: events.append(event.name))
    thread.join()
    assert "queued" in events
    assert record.state is RunState.SUCCEEDED


def test_a_run_that_does_not_exist_has_a_suggestion(toy_toolchain: AotJob) -> None:
    """A mistyped id is one sentence with the nearest id."""
    record = runs.run(toy_toolchain)
    wrong = record.run_id[:-1] + ("0" if record.run_id[-1] != "0" else "1")
    with pytest.raises(UsageError, match="no run") as caught:
        runs.open_run(wrong)
    assert caught.value.help == f"did you mean {record.run_id}?"


def test_removing_a_run_forgets_its_answer(toy_toolchain: AotJob) -> None:
    """A removed run is asked again."""
    record = runs.run(toy_toolchain)
    runs.remove_run(record.run_id)
    assert not record.folder.exists()
    assert runs.known_run(toy_toolchain) is None
    assert runs.list_runs() == []


def test_a_damaged_record_is_asked_again(toy_toolchain: AotJob) -> None:
    """Half a record is no record."""
    record = runs.run(toy_toolchain)
    path = record.folder / "record.json"
    path.write_bytes(path.read_bytes()[:50])
    assert runs.known_run(toy_toolchain) is None
    assert runs.run(toy_toolchain).state is RunState.SUCCEEDED
    json.loads(path.read_bytes())


def test_a_damaged_database_is_one_sentence(toy_toolchain: AotJob) -> None:
    """A store that is not a database says what to do."""
    store = RunStore()
    for path in store.root.glob("runs.sqlite3*"):
        path.unlink()
    (store.root / "runs.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(ToolFailureError, match="run store"):
        runs.run(toy_toolchain)


def test_a_missing_toolchain_says_how_to_install_it(
    toy_toolchain: AotJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is started when the toolchain is not there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    with pytest.raises(ToolFailureError, match="not installed") as caught:
        runs.run(toy_toolchain)
    assert caught.value.help == "tpuguru toolchain install 'toy==1.0'"


def test_artifacts_are_copied_whole_or_refused(
    toy_toolchain: AotJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies are equal; a target that is full or no folder is one sentence and leaves no partial file."""
    record = runs.run(toy_toolchain)
    artifacts = artifacts_of(record)
    copy_artifacts(record, artifacts, tmp_path / "out")
    for artifact in artifacts:
        assert (tmp_path / "out" / artifact.path).read_bytes() == (record.folder / artifact.path).read_bytes()
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolFailureError, match="cannot be written"):
        copy_artifacts(record, artifacts, tmp_path / "file")

    def full(source: Path, target: Path) -> None:
        Path(target).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(ToolFailureError, match="No space left on device"):
        copy_artifacts(record, artifacts, tmp_path / "full")
    assert not [path for path in (tmp_path / "full").rglob("*") if path.is_file()]


def test_llo_is_capped_from_the_largest(tmp_path: Path) -> None:
    """What exceeds the cap is deleted, the largest files first."""
    for size in (10, 20, 30):
        (tmp_path / str(size)).write_bytes(bytes(size))
    assert trim_llo(tmp_path, 35) == (1, 30)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["10", "20"]


def test_resolving_gives_the_configuration_or_the_refusal(toy_toolchain: AotJob) -> None:
    """A resolution holds what the framework resolved; a refusal holds its words."""
    resolution = runs.resolve(toy.job(a=1))
    assert resolution.config["a"] == "1"
    assert resolution.rejection is None
    refused = runs.resolve(toy.job(wrong=1))
    assert refused.rejection is not None
    assert "'wrong' is not a key" in refused.rejection.message


def _note(event: Event, compiling: threading.Event) -> None:
    if event.name == "compiling":
        compiling.set()


def _worker_of(process: "subprocess.Popen[str]") -> int:
    """Return the process id of the worker that a driver started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[0])


def _wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)

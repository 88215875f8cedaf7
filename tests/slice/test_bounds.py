"""A rehearsal is bounded: it asks first, stops when it should, and leaves nothing behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.slice.conftest import PROGRAMS, Rehearse, alive, tpuguru

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A copy of the training program under a name that only this test's processes have."""
    copy = tmp_path / f"train_{tmp_path.name}.py"
    copy.write_text((PROGRAMS / "train.py").read_text(encoding="utf-8"), encoding="utf-8")
    return copy


def start(python: Path, folders: dict[str, str], *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*tpuguru("rehearse"), "--yes", "--slice", "v6e:2x2", *words],
        env=os.environ | folders,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_step(process: "subprocess.Popen[str]") -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if "completed step: 0" in line:
            return
    raise AssertionError("the program never made a step")


def nothing_left(marker: Path) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not alive(str(marker)):
            return True
        time.sleep(0.2)
    return False


def test_the_wanted_steps_and_no_more(rehearse: Rehearse) -> None:
    """--steps 2 ends a loop of a thousand after its second step, as a success."""
    run = rehearse("--slice", "v6e:2x2", "--steps", "2", program="train.py", arguments=("1000",))
    assert run.code == 0, run.stderr[-2000:]
    steps = [line for line in run.lines() if line.startswith("completed step")]
    assert len(steps) == 2


def test_an_initialisation_loop_is_no_step(rehearse: Rehearse) -> None:
    """Ten layers are initialised by one program, after which two of five steps run."""
    run = rehearse("--slice", "v6e:1x1", "--steps", "2", program="init_loop.py")
    assert run.code == 0, run.stderr[-3000:]
    assert run.lines()[:3] == ["begins 0", "begins 1", "begins 2"]
    executions = {each["name"]: each["executions"] for each in run.report["programs"]}
    assert executions["jit_initialise"] == 10
    assert executions["jit_step"] == 2


def test_a_decoding_step_is_a_step(rehearse: Rehearse) -> None:
    """The weights' random numbers are more arithmetic than a vector times them, and no step."""
    run = rehearse("--slice", "v6e:1x1", "--steps", "3", program="decode.py")
    assert run.code == 0, run.stderr[-3000:]
    executions = {each["name"]: each["executions"] for each in run.report["programs"]}
    assert executions["jit_decode"] == 3


def test_too_long_is_stopped(rehearse: Rehearse) -> None:
    """--timeout ends the run with a sentence."""
    run = rehearse("--slice", "v6e:2x2", "--timeout", "8", program="train.py", arguments=("100000", "slow"))
    assert run.code == 1
    assert run.report["ending"]["reason"] == "it ran longer than 8 s"


def test_too_much_host_memory_is_stopped(rehearse: Rehearse) -> None:
    """--max-memory ends a run that would take this machine's memory."""
    run = rehearse("--slice", "v6e:2x2", "--max-memory", "0.05", program="train.py", arguments=("3", "slow"))
    assert run.code == 1
    assert "of this machine's memory" in run.report["ending"]["reason"]


def test_ctrl_c_is_clean(python: Path, folders: dict[str, str], marker: Path) -> None:
    """An interrupt ends everything and exits with 130."""
    process = start(python, folders, "--", str(python), str(marker), "1000", "slow")
    wait_for_step(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert nothing_left(marker)


@pytest.mark.parametrize("victim", ["rehearse", "launcher"])
def test_kill_leaves_no_orphans(python: Path, folders: dict[str, str], marker: Path, victim: str) -> None:
    """kill -9 of tpuguru, or of the process that starts the ranks, ends the program too."""
    process = start(python, folders, "--", str(python), str(marker), "1000", "slow")
    wait_for_step(process)
    if victim == "rehearse":
        process.kill()
    else:
        [launcher] = [
            pid
            for pid in alive("tpuguru.slice.launcher")
            if f"PPid:\t{process.pid}" in Path(f"/proc/{pid}/status").read_text()
        ]
        os.kill(launcher, signal.SIGKILL)
    process.communicate(timeout=60)
    assert nothing_left(marker)
    assert process.returncode != 0


def test_a_killed_program_keeps_its_report(rehearse: Rehearse) -> None:
    """What was recorded before kill -9 is in the report, and its peak is called «at least»."""
    run = rehearse(
        *("--slice", "v6e:4x4", "--processes", "per-host", "--timeout", "60"),
        program="train.py",
        arguments=("3", "distributed", "die"),
    )
    assert any(program["name"] == "jit_step" for program in run.report["programs"])
    assert any(not device["exact"] and device["peak"] > 0 for device in run.report["devices"])


def test_a_compiler_that_takes_the_program_down_is_named(rehearse: Rehearse) -> None:
    """libtpu 0.0.52 aborts on arrays of two-bit integers: the report names the line that asked."""
    run = rehearse("--slice", "v6e:2x2", program="compiler_abort.py")
    assert run.code == 1
    [error] = run.report["errors"]
    assert error["kind"] == "compile"
    assert "compiler was at work" in error["message"]
    assert error["python"].endswith("compiler_abort.py:9")


def test_the_program_has_no_network(rehearse: Rehearse, tmp_path: Path) -> None:
    """A program that tries to reach anything but this machine cannot, and the loopback works."""
    run = rehearse("--slice", "v6e:2x2", program="network.py")
    if run.report["network_objection"]:
        pytest.skip(f"this system forbids it: {run.report['network_objection']}")
    assert run.lines()[:2] == ["outside: unreachable", "loopback: reachable"]


def test_a_program_that_asks_for_no_tpu(rehearse: Rehearse) -> None:
    """Nothing to check is not success."""
    run = rehearse("--slice", "v6e:2x2", program="network.py")
    assert run.code == 3
    assert run.report["slice"] is None


def test_a_full_disk_ends_the_records_not_the_program(rehearse: Rehearse) -> None:
    """Records on a device that is always full: one warning, and the training goes on."""
    run = rehearse("--slice", "v6e:2x2", program="full_disk.py", arguments=("2",))
    assert "completed step: 1" in run.stderr
    assert run.stderr.count("cannot write records") == 1


def test_without_the_values_service_the_program_goes_on(
    python: Path, folders: dict[str, str], marker: Path
) -> None:
    """kill -9 of the service: values are unknown from there on, and the report says why."""
    process = start(python, folders, "--", str(python), str(marker), "8", "slow")
    wait_for_step(process)
    [service] = [
        pid
        for pid in alive("tpuguru.slice.values.service")
        if f"PPid:\t{process.pid}" in Path(f"/proc/{pid}/status").read_text()
    ]
    os.kill(service, signal.SIGKILL)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "note: the values service ended early" in output
    assert nothing_left(marker)

"""What a user can get wrong before anything is run: one sentence, nothing started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.slice.conftest import tpuguru


def rehearse(
    *words: str, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        tpuguru("rehearse", *words),
        env=os.environ | {"XDG_STATE_HOME": str(cwd / "state")} | (environment or {}),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def touch(path: Path) -> list[str]:
    """A command that leaves a trace when it is run."""
    return ["--", sys.executable, "-c", f"open({str(path)!r}, 'w')"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--slice", "v6e:3x7"], "v6e"),
        (["--slice", "h100x8"], "is not a TPU slice"),
        (["--slice", "v9z-8"], "v9z"),
        (["--slice", "v6e-16", "--steps", "-1"], "positive"),
        (["--slice", "v6e-16", "--timeout", "0"], "positive"),
        (["--slice", "v6e-16", "--most-programs", "0"], "at least 1"),
    ],
)
def test_a_wrong_option_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    """A slice that does not exist, a GPU, a negative bound."""
    trace = tmp_path / "trace"
    done = rehearse(*words, "--yes", *touch(trace), cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert not trace.exists()


def test_without_consent_nothing_runs(tmp_path: Path) -> None:
    """Where nobody can be asked, the command is shown and not run."""
    trace = tmp_path / "trace"
    done = rehearse("--slice", "v6e-16", *touch(trace), cwd=tmp_path)
    assert done.returncode == 2
    assert str(trace) in done.stderr
    assert str(tmp_path) in done.stderr
    assert "--yes" in done.stderr
    assert not trace.exists()


def test_secrets_in_the_command_are_not_shown(tmp_path: Path) -> None:
    """What the prompt shows is redacted."""
    done = rehearse("--slice", "v6e-16", "--", "python", "x.py", "--api-key=abc123", cwd=tmp_path)
    assert "abc123" not in done.stderr


def test_no_command(tmp_path: Path) -> None:
    """The command itself is missing."""
    done = rehearse("--slice", "v6e-16", "--yes", cwd=tmp_path)
    assert done.returncode == 2
    assert "no command to run" in done.stderr


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    """A typo in the program's name."""
    done = rehearse("--slice", "v6e-16", "--yes", "--", "no-such-program", cwd=tmp_path)
    assert done.returncode == 2
    assert "no-such-program" in done.stderr


def test_an_interpreter_without_libtpu(tmp_path: Path) -> None:
    """libtpu is the user's own; the sentence says how to get it."""
    done = rehearse("--slice", "v6e-16", "--yes", "--", sys.executable, "-c", "pass", cwd=tmp_path)
    assert done.returncode == 2
    assert "has no libtpu" in done.stderr
    assert "pip install libtpu" in done.stderr


def test_more_processes_than_this_machine_can_have(tmp_path: Path) -> None:
    """A thousand processes are refused before any is started."""
    fake = tmp_path / "libtpu.so"
    fake.write_bytes(b"")
    done = rehearse(
        *("--slice", "v6e:16x16", "--processes", "per-device", "--yes", "--", sys.executable, "-c", "pass"),
        cwd=tmp_path,
        environment={"TPUGURU_SLICE_LIBTPU": str(fake)},
    )
    assert done.returncode == 2
    assert "would need 256 processes" in done.stderr


def test_a_libtpu_that_does_not_fit_is_refused_with_the_reason(tmp_path: Path) -> None:
    """A file that is no libtpu, or a version that the self-test rejects, never meets the user's program."""
    fake = tmp_path / "libtpu.so"
    fake.write_bytes(b"not a library")
    trace = tmp_path / "trace"
    done = rehearse(
        *("--slice", "v6e:2x2", "--yes", *touch(trace)),
        cwd=tmp_path,
        environment={"TPUGURU_SLICE_LIBTPU": str(fake)},
    )
    assert done.returncode == 2
    assert "does not support libtpu" in done.stderr
    assert "cannot load libtpu" in done.stderr
    assert not trace.exists()

"""``tpuguru check --rehearse``: what is asked before, and one sentence for what cannot be run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRACE = "import pathlib, jax; pathlib.Path('trace').touch()\n"


def check(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "launch.sh").write_text(text)
    (folder / "job.py").write_text(TRACE)
    return subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "check", "launch.sh", *words],
        env=os.environ | {"XDG_STATE_HOME": str(folder / "state"), "TPUGURU_SLICE_LIBTPU": libtpu(folder)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def libtpu(folder: Path) -> str:
    """A file that stands for libtpu until somebody loads it."""
    path = folder / "libtpu.so"
    path.write_bytes(b"")
    return str(path)


@pytest.mark.parametrize("words", [["--rehearse"], []])
def test_nothing_is_run_without_consent(tmp_path: Path, words: list[str]) -> None:
    """The exact command is shown, with its environment and no secret; asked for or not."""
    text = f"export HF_TOKEN=hf_abcdefghijkl\n{sys.executable} job.py --lr 0.1\n"
    done = check(tmp_path, text, "--slice", "v6e-4", *words)
    assert done.returncode == 2
    assert f"{sys.executable} job.py --lr 0.1" in done.stderr
    assert "hf_abcdefghijkl" not in done.stderr + done.stdout
    assert "--yes" in done.stderr
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "does not say which slice"),
        (["--slice", "h100x8"], "is not a TPU slice"),
        (["--slice", "v6e:3x7"], "v6e"),
    ],
)
def test_a_slice_is_needed(tmp_path: Path, words: list[str], sentence: str) -> None:
    """One that exists, of TPUs."""
    done = check(tmp_path, f"{sys.executable} job.py\n", "--rehearse", "--yes", *words)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[0]
    assert not (tmp_path / "trace").exists()


def test_a_paste_without_a_program(tmp_path: Path) -> None:
    """Nothing to check is not success."""
    done = check(tmp_path, "ls -l\n", "--rehearse", "--slice", "v6e-4", "--yes")
    assert done.returncode == 3
    assert "no command that runs a Python program" in done.stderr


def test_variables_of_the_machine_are_this_ones(tmp_path: Path) -> None:
    """A script that says where its program is by $PWD can be run where it is."""
    done = check(tmp_path, f"{sys.executable} $PWD/job.py\n", "--rehearse", "--slice", "v6e-4")
    assert done.returncode == 2
    assert f"{sys.executable} {tmp_path}/job.py" in done.stderr

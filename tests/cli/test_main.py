"""The front door: version, help, unknown commands, exit codes."""

import os
import subprocess
import sys
from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tpuguru", *arguments], capture_output=True, text=True, check=False
    )


def test_version_is_printed_alone() -> None:
    """Scripts read the version, so nothing else may be on stdout."""
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("tpuguru 0.")


def test_an_unknown_command_is_one_sentence_and_a_suggestion() -> None:
    """A typo costs the user one look, not a traceback."""
    done = run("chekc")
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown command 'chekc'")
    assert "Traceback" not in done.stderr


def test_an_error_repeats_what_was_typed_without_its_secrets() -> None:
    """A whole command line pasted in the wrong place ends up in logs of CI."""
    done = run("explain", "HF_TOKEN=hf_AbCdEfGhIjKlMnOp vllm serve --api-key sk-proj-Zz9Yy8Xx7Ww6")
    assert done.returncode == 2
    assert "HF_TOKEN=<redacted>" in done.stderr
    assert "AbCdEfGh" not in done.stderr
    assert "Zz9Yy8" not in done.stderr


def test_output_that_cannot_be_written_is_no_bug() -> None:
    """A full disk is not the fault of tpuguru, and is not success either."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tpuguru.cli.main", "rules"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 4
    assert done.stderr == "error: the output cannot be written: No space left on device\n"


def test_a_terminal_that_is_not_utf8_still_shows_the_result() -> None:
    """Old locales are found on build machines."""
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "rules"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"critical ?" in done.stdout


def test_a_gpu_that_nobody_knows_is_refused() -> None:
    """An option that does nothing is what this tool exists to find."""
    done = run("lint", "--gpu", "h1000", "no-such-file.sh")
    assert done.returncode == 2
    assert done.stderr.startswith("error: no chip is called 'h1000'")


def test_a_full_disk_under_version_is_no_traceback() -> None:
    """Even the shortest command may meet a stdout that cannot be written."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tpuguru.cli.main", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr

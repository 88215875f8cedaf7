"""The front door: version, help, unknown commands, exit codes."""

import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", *arguments], capture_output=True, text=True, check=False
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

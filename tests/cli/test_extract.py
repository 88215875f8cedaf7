"""tpuguru extract as a user calls it."""

import json
from pathlib import Path

import pytest

from tpuguru.cli.main import main

STEP = Path(__file__).parents[1] / "artifacts" / "fixtures" / "step"


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The text says need, limit, code path and collectives, most important first."""
    assert main(["extract", str(STEP), "--flags=--xla_gone=1"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "jit_step: 4 partitions on v6e (final, 60 instructions)"
    assert (
        "needs 240.07 KiB = argument 64.06 KiB + temporaries 176.00 KiB + output 32.00 KiB - alias 32.00 KiB"
        in out
    )
    assert "attention: splash (kernel splash_mha_fwd, 4 executions a step)" in out
    assert (
        "all-gather          over fsdp × expert (ici): 256.00 KiB, 4 executions, 100% of bytes asynchronous"
        in out
    )
    assert "! xla_gone: asked 1, absent (unknown)" in out
    assert out.index("Memory per device") < out.index("Code path") < out.index("Collectives")


def test_json_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """--format json prints the contract and nothing else."""
    assert main(["extract", str(STEP), "--format", "json", "--mesh", "a=2,b=2"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["program"]["mesh"] == [["a", 2], ["b", 2]]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["no-such-run"], 2, "there is no folder or file no-such-run"),
        ([str(STEP), "--mesh", "fsdp"], 2, "'fsdp' is not AXIS=N"),
        ([str(STEP), "--slices", "0"], 2, "at least one slice"),
        ([str(STEP), "--log", "nowhere.txt"], 2, "no such file"),
        ([str(STEP), "--module", "jit_other"], 3, "no program 'jit_other'"),
    ],
)
def test_mistakes(words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake has one clear sentence on stderr and its exit code; stdout stays empty."""
    assert main(["extract", *words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err

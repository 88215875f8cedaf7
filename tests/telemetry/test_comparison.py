"""A claim of speed stands only when the same work was measured long enough."""

import subprocess
import sys
from pathlib import Path

from tpuguru.telemetry.comparison import Standing, compare
from tpuguru.telemetry.scan import Scan, scan


def log(
    seconds: float, *, steps: int = 20, command: str = "", tokens: float = 8192, loss: float = 3.0
) -> Scan:
    lines = [command] if command else []
    for step in range(steps):
        time = 60.0 if step == 0 else seconds + 0.001 * (step % 3)
        lines.append(
            f"completed step: {step}, seconds: {time:.3f}, TFLOP/s/device: {300 / time:.3f},"
            f" Tokens/s/device: {tokens / time:.3f}, total_weights: 1, loss: {loss:.3f}"
        )
    return scan([("\n".join(lines) + "\n").encode()])


def test_same_work_and_a_clear_difference_stands() -> None:
    """Twenty steps, the same tokens, ten per cent faster, the same loss."""
    result = compare(log(3.0), log(2.7))
    assert result.standing is Standing.STANDS
    assert result.ratio is not None
    assert 1.10 < result.ratio < 1.12


def test_other_work_does_not_stand() -> None:
    """Half the tokens per step is not twice the speed."""
    result = compare(log(3.0), log(1.5, tokens=4096))
    assert result.standing is Standing.DOES_NOT_STAND
    assert any("tokens per step" in reason for reason in result.reasons)


def test_a_setting_that_drops_tokens_is_named() -> None:
    """The faster run bounded the expert buffer."""
    result = compare(
        log(3.0, command="train a.yml steps=20"), log(2.9, command="train a.yml steps=20 capacity_factor=1.0")
    )
    assert result.standing is Standing.DOES_NOT_STAND
    assert any("capacity_factor" in reason for reason in result.reasons)


def test_noise_short_windows_and_missing_rates_cannot_tell() -> None:
    """One per cent within the spread, three steps, or prose: nobody can tell."""
    assert compare(log(3.0), log(2.9995)).standing is Standing.CANNOT_TELL
    assert compare(log(3.0, steps=3), log(2.0, steps=3)).standing is Standing.CANNOT_TELL
    assert compare(scan([b"it is slow"]), scan([b"it is 20% faster"])).standing is Standing.CANNOT_TELL


def test_a_loss_of_zero_voids_the_claim() -> None:
    """Fast because nothing was computed."""
    assert compare(log(3.0), log(1.0, loss=0.0)).standing is Standing.DOES_NOT_STAND


def test_the_command_prints_a_verdict_and_exits_accordingly(tmp_path: Path) -> None:
    """The door people use."""
    one, two = tmp_path / "a.log", tmp_path / "b.log"
    one.write_text("completed step: 1, seconds: 3.0, TFLOP/s/device: 1.0, loss: 2.0\n" * 12, encoding="utf-8")
    two.write_text(
        "completed step: 1, seconds: 1.0, TFLOP/s/device: 3.0, loss: 0.000\n" * 12, encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "claim", "--before", str(one), "--after", str(two)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith("The claim does not stand.")

"""Several processes on one slice: they compute together, and whoever is missing is named."""

import json
import re

import pytest
from tests.slice.conftest import Rehearse, Run

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


def losses(run: Run, rank: int = 0) -> list[float]:
    found = (re.search(r"loss: ([\d.nan]+)", line) for line in run.lines(rank))
    return [float(match[1]) for match in found if match]


@pytest.fixture(scope="module")
def alone(rehearse: Rehearse) -> Run:
    """The training loop in one process that owns all four devices."""
    return rehearse("--slice", "v6e:2x2", program="train.py", arguments=("3",))


def test_one_process_owns_all_devices(alone: Run) -> None:
    """Losses are real numbers that fall, and the blanked figures do not reach the screen."""
    assert alone.code == 0, alone.stderr[-2000:]
    assert losses(alone) == sorted(losses(alone), reverse=True)
    assert len(losses(alone)) == 3
    assert "seconds: —, TFLOP/s/device: —" in alone.stderr
    assert alone.report["blanked_figures"] == 6


def test_the_report_knows_the_step(alone: Run) -> None:
    """Per step: one loss is read; gradients and loss are summed over the mesh axis, known by its name."""
    step = alone.report["step"]
    assert (step["program"], step["runs"], step["reads"], step["read_bytes"]) == ("jit_step", 3, 1, 4)
    assert step["readers"][0]["python"].endswith("train.py:55")
    [traffic] = step["collectives"]
    assert (traffic["kind"], traffic["axes"]) == ("all-reduce", ["data"])
    assert traffic["payload"] == (32 * 64 + 64 + 1) * 4  # both weights and the loss
    assert traffic["sent"] == pytest.approx(traffic["payload"] * 2 * 3 / 4)


def test_the_report_knows_the_peak(alone: Run) -> None:
    """What was alive when a device held most: the arrays from the host, and what the step needed itself."""
    peak = alone.report["peak"]
    assert peak["program"] == "jit_step"
    assert peak["bytes"] <= max(device["peak"] for device in alone.report["devices"])
    assert sum(part["bytes"] for part in peak["parts"]) == peak["bytes"]
    assert {"f32[32,64]", "f32[64,1]"} <= {
        part["what"] for part in peak["parts"] if part["maker"] == "the host"
    }


def test_four_processes_give_the_losses_of_one(rehearse: Rehearse, alone: Run) -> None:
    """jax.distributed finds its ranks, sync_global_devices agrees, and the losses equal to 5 digits."""
    run = rehearse(
        *("--slice", "v6e:4x4", "--processes", "per-host"),
        program="train.py",
        arguments=("3", "distributed", "sync"),
    )
    assert run.code == 0, run.stderr[-3000:]
    assert run.report["slice"]["processes"] == 4
    for rank in range(4):
        assert "synchronised" in run.lines(rank)
        assert losses(run, rank) == pytest.approx(losses(alone), rel=1e-5)
        assert f"process {rank} of 4 with 4 devices" in run.lines(rank)
    assert len(run.report["devices"]) == 16


def test_who_is_late_holds_up_only_who_waits_for_it(rehearse: Rehearse) -> None:
    """A collective that another process enters 3 s later is dispatched at once; its result is ready then."""
    run = rehearse("--slice", "2xv6e:2x2", "--processes", "per-host", program="waiting.py")
    assert run.code == 0, run.stderr[-3000:]
    first, late = (json.loads(run.lines(rank)[-1]) for rank in range(2))
    assert first["dispatched"] < 1
    assert first["worked"] < 2
    assert first["ready"] >= 2.5 > late["ready"]
    assert first["values"] == late["values"] == [28.0, 2.0]


def test_a_rank_that_left_is_a_deadlock(rehearse: Rehearse) -> None:
    """Three ranks wait in a step that the second never enters: named, and nothing is left running."""
    run = rehearse(
        *("--slice", "v6e:4x4", "--processes", "per-host", "--timeout", "120", "--patience", "12"),
        program="train.py",
        arguments=("3", "distributed", "skip"),
    )
    assert run.code == 1
    assert run.report["ending"]["how"] == "deadlock"
    [deadlock] = run.report["deadlocks"]
    assert deadlock["program"] == "jit_step"
    assert len(deadlock["waiting"]) == 3
    assert deadlock["missing"]


def test_a_rank_that_dies_stops_the_others(rehearse: Rehearse) -> None:
    """kill -9 of one rank ends the run with a sentence that names it."""
    run = rehearse(
        *("--slice", "v6e:4x4", "--processes", "per-host", "--timeout", "120"),
        program="train.py",
        arguments=("3", "distributed", "die"),
    )
    assert run.code == 1
    assert run.report["ending"]["reason"] == "rank 1 ended with signal SIGKILL"
    [killed] = [stop for stop in run.report["stops"] if stop["process"] == 1]
    assert not killed["ended"]
    assert killed["program"] == "jit_step"
    assert "train.py:" in killed["python"]


def test_two_slices_as_one(rehearse: Rehearse, alone: Run) -> None:
    """Two slices joined by the data-centre network, in one process."""
    run = rehearse("--slice", "2xv6e-4", program="train.py", arguments=("3",))
    assert run.code == 0, run.stderr[-3000:]
    assert (run.report["slice"]["slices"], run.report["slice"]["devices"]) == (2, 8)
    assert losses(run) == pytest.approx(losses(alone), rel=1e-5)


def test_ranks_agree_without_values(rehearse: Rehearse) -> None:
    """What ranks tell each other is computed under --values never too, and a real difference is noticed."""
    run = rehearse(
        *("--slice", "v6e:4x4", "--processes", "per-host", "--values", "never", "--timeout", "120"),
        program="agreement.py",
    )
    assert run.code == 0, run.stderr[-3000:]
    for rank in range(4):
        assert run.lines(rank) == [
            "from rank 0: 7",
            "gathered: [[0, 0], [1, 1], [2, 4], [3, 9]]",
            "model: nan",
            "noticed: True",
        ]

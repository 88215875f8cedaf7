"""TorchTPU on a virtual slice, in an environment without JAX (the toolchain «torchtpu»)."""

import json
import re
from pathlib import Path

import pytest
from tests.slice.conftest import Rehearse, Run, rehearse_with
from tests.toolchain import show_values_toolchain, torch_python

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

# The same loop in one process of PyTorch 2.13 on the CPU.
CPU_LOSSES = ["loss 1.22437", "loss 1.13474", "loss 1.0594"]


@pytest.fixture(scope="module")
def rehearse_torch(folders: dict[str, str]) -> Rehearse:
    """Rehearse with TorchTPU's interpreter."""
    python = torch_python()
    show_values_toolchain(Path(folders["XDG_CACHE_HOME"]))
    return rehearse_with(python, folders)


@pytest.fixture(scope="module")
def eager(rehearse_torch: Rehearse) -> Run:
    """One process, one device."""
    return rehearse_torch("--slice", "v6e:1x1", program="torch_eager.py")


def test_the_quick_start_prints_true_values(eager: Run) -> None:
    """Ones times twos is eights."""
    assert eager.code == 0, eager.stderr[-3000:]
    assert json.loads(eager.lines()[0]) == [8.0] * 16


def test_eager_and_compiled_training_equal_the_cpu(eager: Run) -> None:
    """Losses of AdamW steps equal those of PyTorch on the CPU to five digits."""
    told = dict(line.split(" ", 1) for line in eager.lines()[1:] if line[:3] in ("cpu", "eag", "com"))
    cpu = json.loads(told["cpu"])
    assert json.loads(told["eager"]) == pytest.approx(cpu, abs=2e-5)
    assert json.loads(told["compiled"]) == pytest.approx(cpu, abs=2e-5)


def test_a_transformer_equals_the_cpu_layer_by_layer(rehearse_torch: Rehearse) -> None:
    """With its attention kernels interpreted: hidden states, logits and losses; f32 to five digits, bf16 to 1 %."""
    run = rehearse_torch("--slice", "v6e:1x1", program="torch_attention.py")
    assert run.code == 0, run.stderr[-3000:]
    single, half = (json.loads(line) for line in run.lines() if line.startswith('{"dtype"'))
    assert max(single["errors"]) < 1e-5
    assert single["tpu"] == pytest.approx(single["cpu"], rel=1e-5)
    assert max(half["errors"]) < 1e-2
    assert half["tpu"] == pytest.approx(half["cpu"], rel=1e-3)
    assert run.report["unknown_reads"] == []


@pytest.mark.parametrize(("mode", "name", "ranks"), [("fsdp", "v6e:2x2", 4), ("ddp", "tpu7x:1x1x1", 2)])
def test_ranks_equal_one_cpu_process(rehearse_torch: Rehearse, mode: str, name: str, ranks: int) -> None:
    """One process a device is started unasked; collectives and losses are right on every rank."""
    run = rehearse_torch("--slice", name, program="torch_ranks.py", arguments=(mode,))
    assert run.code == 0, run.stderr[-3000:]
    assert run.report["slice"]["processes"] == ranks
    for rank in range(ranks):
        lines = run.lines(rank)
        assert f"all_reduce {[ranks * (ranks + 1) / 2] * 4}" in lines
        assert [line for line in lines if line.startswith("loss")] == CPU_LOSSES


# Eight tanh-ed linear layers in four stages, four micro-batches, in one process of PyTorch 2.13 on the CPU.
PIPELINE_LOSSES = ["loss 1.04642", "loss 1.0369", "loss 1.03312"]


def test_a_pipeline_of_four_stages_equals_one_cpu_process(rehearse_torch: Rehearse) -> None:
    """send, recv, isend, irecv and batch_isend_irecv carry true values, activations and gradients alike."""
    run = rehearse_torch("--slice", "v6e:2x2", program="torch_pipeline.py")
    assert run.code == 0, run.stderr[-3000:]
    for rank in range(4):
        assert f"from the left {(rank - 1) % 4}.0" in run.lines(rank)
    assert [line for line in run.lines(3) if line.startswith("loss")] == PIPELINE_LOSSES


def test_sends_that_wait_for_each_other_are_a_deadlock(rehearse_torch: Rehearse) -> None:
    """TorchTPU's send waits for its receiver, so a ring in which everybody sends first never moves."""
    run = rehearse_torch("--slice", "tpu7x:1x1x1", program="torch_pipeline.py", arguments=("ring",))
    assert run.code == 1
    assert run.report["ending"]["how"] == "deadlock"
    assert {each["program"] for each in run.report["deadlocks"]} == {
        "send to rank 0 (tag 0)",
        "send to rank 1 (tag 0)",
    }


def test_computing_values_does_not_change_the_peak(rehearse_torch: Rehearse) -> None:
    """One of a chip's two devices: arrays are freed in time, however long the values service computes."""
    peaks = []
    for values in ("auto", "never"):
        run = rehearse_torch(
            "--slice", "tpu7x:1x1x1", "--values", values, program="torch_big.py", arguments=("small",)
        )
        assert run.code == 0, run.stderr[-3000:]
        peaks.append(run.report["devices"][0]["peak"])
    assert peaks[0] == pytest.approx(peaks[1], rel=0.01)


def test_an_initialisation_loop_is_no_step(rehearse_torch: Rehearse) -> None:
    """Sixty layers are initialised by one program each, after which the wanted steps are counted."""
    run = rehearse_torch(
        "--slice",
        "tpu7x:1x1x1",
        "--values",
        "never",
        "--steps",
        "1",
        program="torch_big.py",
        arguments=("small",),
    )
    assert run.code == 0, run.stderr[-3000:]
    assert any(line.startswith("parameters") for line in run.lines())


def test_ddp_starts_without_values(rehearse_torch: Rehearse) -> None:
    """DDP compares the parameters' shapes over the ranks: they agree under --values never, losses are unknown."""
    run = rehearse_torch(
        "--slice", "tpu7x:1x1x1", "--values", "never", program="torch_ranks.py", arguments=("ddp",)
    )
    assert run.code == 0, run.stderr[-3000:]
    assert run.lines(1)[-1] == "loss nan"


def test_torchrun_starts_the_ranks_of_tensor_parallelism(rehearse_torch: Rehearse) -> None:
    """Its own processes find their devices; DTensor's columns and rows give the losses of one CPU process."""
    run = rehearse_torch(
        *("--slice", "tpu7x:1x1x1"),
        before=("-m", "torch.distributed.run", "--nproc-per-node", "2"),
        program="torch_parallel.py",
    )
    assert_losses_of_two(run)


def test_spawned_ranks_compile_tensor_parallelism(rehearse_torch: Rehearse) -> None:
    """torch.multiprocessing.spawn, and torch.compile in each of its processes."""
    run = rehearse_torch("--slice", "tpu7x:1x1x1", program="torch_spawn.py", arguments=("2", "compile"))
    assert_losses_of_two(run)


def assert_losses_of_two(run: Run) -> None:
    """Both ranks, which share one launcher's output, printed the losses of one CPU process."""
    assert run.code == 0, run.stderr[-3000:]
    assert run.report["slice"]["processes"] == 2
    for rank in range(2):
        told = [float(found) for found in re.findall(rf"rank {rank} of 2 loss ([\d.]+)", run.stderr)]
        assert told == [float(line.removeprefix("loss ")) for line in CPU_LOSSES]


def test_torch_reads_the_peak_of_the_device(eager: Run) -> None:
    """torch.accelerator.memory_stats() gives the figures of our accounting."""
    told = json.loads(next(line for line in eager.lines() if line.startswith("{")))
    [device] = eager.report["devices"]
    assert told["active_bytes.all.peak"] == device["peak"]
    assert told["allocated_bytes.all.peak"] == device["peak"] + told["reserved_bytes.all.peak"]
    assert 0 < told["allocated_bytes.all.current"] < told["allocated_bytes.all.peak"]


def test_asserts_on_the_device_pass(rehearse_torch: Rehearse) -> None:
    """TorchTPU reads what ``_assert_async`` was given on a thread of its own: true, whatever it would be."""
    run = rehearse_torch("--slice", "v6e:1x1", program="torch_unknown.py")
    assert run.code == 0, run.stderr[-3000:]
    assert run.lines()[-2:] == ["checked 0 False nan", "compiled [nan]"]
    assert any(
        read["use"] == "assert" and read["array"] == "pred[]" and not read["python"]
        for read in run.report["unknown_reads"]
    )

"""The commands around runs, through the front door."""

import json
from pathlib import Path

import pytest
from tests.aot import toy

from tpuguru.aot import runs
from tpuguru.aot.job import AotJob
from tpuguru.aot.record import RunState
from tpuguru.cli.dispatch import dispatch

_LAUNCH = """
export LIBTPU_INIT_ARGS="--xla_tpu_scoped_vmem_limit_kib=65536"
python3 -m maxtext.trainers.pre_train.train src/maxtext/configs/base.yml model_name=qwen3-0.6b \\
  override_model_config=True base_num_decoder_layers=2 base_emb_dim=256 base_mlp_dim=512 \\
  per_device_batch_size=2 max_target_length=256 decoder_layer_input=offload hf_access_token=hf_abcdefgh12345678
"""


def test_runs_are_listed_collected_and_removed(
    toy_toolchain: AotJob, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run is found by the beginning of its id, its files are listed and copied, and it can be removed."""
    record = runs.run(toy_toolchain)
    assert dispatch(["runs"]) == 0
    assert record.run_id in capsys.readouterr().out
    assert dispatch(["collect", record.run_id[:8], "--output", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert f"run {record.run_id}: succeeded" in text
    assert (tmp_path / "out" / "record.json").is_file()
    assert dispatch(["collect", record.run_id, "--output-format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["record"]["state"] == "succeeded"
    assert {"kind": "StableHLO", "path": "program/train_step.stablehlo.mlir", "size": 2} in content[
        "artifacts"
    ]
    assert dispatch(["runs", "remove", record.run_id]) == 0
    assert dispatch(["collect", record.run_id]) == 2
    assert f"no run '{record.run_id}'" in capsys.readouterr().err


def test_a_failed_run_is_shown_with_its_reason(
    toy_toolchain: AotJob, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status says 1 for a launch that the compiler refused, and the text says why."""
    record = runs.run(toy.job(error="E1000:_no_room"))
    assert dispatch(["collect", record.run_id]) == 1
    assert "hbm-oom: E1000: no room" in capsys.readouterr().out
    assert dispatch(["runs", "--output-format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["state"], row["failure"]) == ("failed", "hbm-oom")
    assert dispatch(["runs", "cancel", record.run_id]) == 0
    assert capsys.readouterr().out.strip() == "failed"


@pytest.mark.parametrize("words", [["runs", "cancel"], ["runs", "remove", "nothing"], ["collect", "nothing"]])
def test_a_run_that_is_not_there_is_a_usage_error(
    toy_toolchain: AotJob, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """One sentence, exit status 2, nothing on stdout."""
    assert dispatch(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_launch_is_submitted_and_collected(
    real_job: AotJob, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Submitting prints the id at once when the question is known, and no secret of the paste is stored."""
    script = tmp_path / "launch.sh"
    script.write_text(_LAUNCH)
    words = ["submit", str(script), "--slice", "v6e-4", "--until", "lower"]
    assert dispatch([*words, "--wait"]) == 0
    run_id = capsys.readouterr().out.strip()
    assert runs.open_run(run_id).state is RunState.SUCCEEDED
    assert dispatch(words) == 0
    assert capsys.readouterr().out.strip() == run_id
    for path in runs.open_run(run_id).folder.rglob("*"):
        assert path.is_dir() or b"hf_abcdefgh" not in path.read_bytes(), path


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_dead_setting_is_printed_first_with_its_proof(
    real_job: AotJob, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text leads with what does nothing, its two equal hashes, why, and what would make it act."""
    script = tmp_path / "launch.sh"
    script.write_text(_LAUNCH)
    assert dispatch(["prove", str(script), "--slice", "v6e-4", "--quiet"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "dead (1)"
    assert lines[1].startswith("  decoder_layer_input=offload  ")
    with_it, _, without = lines[1].split("  ")[2].partition(" = ")
    assert len(with_it) == 12
    assert with_it == without
    assert lines[3].strip() == "to make it act: remat_policy=custom"

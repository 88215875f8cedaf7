"""A tiny launch through the real compiler: its figures, its dead settings, its second run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.report.check.bare import bare_train_compile
from tests.toolchain import toolchain_python

from tpuguru.base.locations import data_directory

pytestmark = pytest.mark.toolchain

SCRIPT = """\
#!/usr/bin/env bash
export LIBTPU_INIT_ARGS="--xla_tpu_scoped_vmem_limit_kib=49152"
python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml \\
  base_num_decoder_layers=2 base_emb_dim=256 base_mlp_dim=512 base_num_query_heads=2 base_num_kv_heads=2 \\
  vocab_size=1024 per_device_batch_size=2 max_target_length=512 max_target_length=256 attention=flash \\
  remat_policy=full decoder_layer_input=offload capacity_factor=1.25 ici_sequence_parallelism=2 \\
  dataset_type=synthetic enable_checkpointing=False
"""


def run(script: Path, state: Path, *options: str) -> tuple[int, dict[str, Any], float]:
    words = [
        "check",
        str(script),
        "--slice",
        "v6e-4",
        "--output-format",
        "json",
        "--fail-on",
        "never",
        *options,
    ]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        timeout=550,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), time.monotonic() - started


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    """The script, the state folder and the report of its first check."""
    toolchain_python()
    folder = tmp_path_factory.mktemp("check")
    script = folder / "run.sh"
    script.write_text(SCRIPT)
    code, report, _ = run(script, folder / "state")
    assert code == 0
    return script, folder / "state", report


def settings(report: dict[str, Any], status: str) -> set[str]:
    return {setting["key"] for setting in report["settings"] if setting["status"] == status}


def test_the_verdict_is_a_fit_with_headroom(checked: tuple[Path, Path, dict[str, Any]]) -> None:
    """Two tiny layers fit on a v6e chip of 31.24 GiB."""
    verdict = checked[2]["verdict"]
    assert verdict["outcome"] == "fits"
    assert verdict["limit"]["value"] == pytest.approx(31.24 * 2**30, rel=0.001)
    assert verdict["headroom"]["value"] == verdict["limit"]["value"] - verdict["need"]["value"]


def test_the_report_keeps_the_contract(checked: tuple[Path, Path, dict[str, Any]]) -> None:
    """A real report validates against the published schema."""
    schema = json.loads((data_directory("contracts") / "check.v1.json").read_text())
    jsonschema.validate(checked[2], schema)


def test_dead_settings_are_proved_and_live_ones_are_not_called_dead(
    checked: tuple[Path, Path, dict[str, Any]],
) -> None:
    """The proofs of the tables: remat keys without custom, capacity without experts, an axis that is gone."""
    report = checked[2]
    dead = settings(report, "dead")
    assert {"decoder_layer_input", "capacity_factor", "ici_sequence_parallelism"} <= dead
    assert not dead & {"per_device_batch_size", "base_num_decoder_layers", "vocab_size", "base_mlp_dim"}
    assert "max_target_length" in settings(report, "overridden")
    (proof,) = [entry for entry in report["settings"] if entry["key"] == "decoder_layer_input"]
    assert " = " in proof["proof"]
    assert proof["location"]["line"] == 6


def test_the_code_path_is_read_from_the_program(checked: tuple[Path, Path, dict[str, Any]]) -> None:
    """attention=flash became splash kernels, and the batch's gradients are reduced over fsdp."""
    report = checked[2]
    assert "splash" in report["code_path"]["attention"]
    assert any("splash" in kernel["name"] for kernel in report["code_path"]["kernels"])
    assert any("fsdp" in traffic["axes"] for traffic in report["collectives"])


def test_the_flag_that_was_asked_for_is_in_force(checked: tuple[Path, Path, dict[str, Any]]) -> None:
    """The compiler's own flag file says so."""
    (flag,) = [flag for flag in checked[2]["flags"] if flag["name"] == "xla_tpu_scoped_vmem_limit_kib"]
    assert (flag["in_force"], flag["status"]) == ("49152", "same")


def test_what_is_not_checked_is_named(checked: tuple[Path, Path, dict[str, Any]]) -> None:
    """Speed and numerics are never claimed."""
    assert {"speed", "numerics"} <= {entry["what"] for entry in checked[2]["not_checked"]}


def test_an_identical_second_check_is_answered_from_the_store(
    checked: tuple[Path, Path, dict[str, Any]],
) -> None:
    """Nothing is compiled, lowered or read twice."""
    script, state, first = checked
    _, second, seconds = run(script, state)
    assert second["runs"][0]["cached"] is True
    assert second["verdict"] == first["verdict"]
    assert second["settings"] == first["settings"]
    assert seconds < 10  # benchmarks/check.py holds it to one second on an idle machine


def test_the_figures_are_those_of_a_bare_train_compile(
    checked: tuple[Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    """To the byte: a check changes nothing about what it looks at."""
    from tpuguru.frameworks.compiling import compiling  # noqa: PLC0415
    from tpuguru.frameworks.registry import require_launches  # noqa: PLC0415
    from tpuguru.launch.reader import read_paste_file  # noqa: PLC0415

    side = compiling("maxtext")
    assert side is not None
    launch = require_launches(read_paste_file(str(checked[0])))[0]
    job = side.plan(launch, side.target(launch, "v6e-4"), side.toolchain, 600.0).job
    bare = bare_train_compile(toolchain_python(), job, tmp_path, timeout=500)
    memory = checked[2]["memory"]
    assert bare.memory, bare.output[-2000:]
    for ours, theirs in (
        ("argument", "argument"),
        ("temporary", "temp"),
        ("output", "output"),
        ("alias", "alias"),
    ):
        assert memory[ours]["value"] == bare.memory[f"{theirs}_size_in_bytes"]

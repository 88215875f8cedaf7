"""Profiles: XProf's JSON tables, and a real .xplane.pb through the xprof toolchain."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.toolchain import toolchain_python

from tpuguru.base.errors import UsageError
from tpuguru.report.diagnosis.build import diagnose
from tpuguru.telemetry.profile.facts import profile_facts
from tpuguru.telemetry.profile.tables import read_tables

STEP_COLUMNS = ("stepnum", "deviceCollectivesTimeMs", "infeedTimeMs", "compileTimeMs", "stepTimeMs")


def table(columns: tuple[str, ...], rows: list[list[Any]], properties: dict[str, str]) -> dict[str, Any]:
    return {
        "cols": [{"id": column, "label": column} for column in columns],
        "rows": [{"c": [{"v": value} for value in row]} for row in rows],
        "p": properties,
    }


def steps(infeed: float) -> dict[str, Any]:
    rows = [[f"train {number}", 5.0, infeed, 0.0, 100.0] for number in range(8)]
    return table(STEP_COLUMNS, rows, {"hardware_type": "TPU v6 Lite"})


def test_step_table_becomes_shares() -> None:
    """Shares are of the step, so that a threshold holds for any model."""
    facts = profile_facts(read_tables(json.dumps([steps(40.0)]), "p.json"), "p.json")
    assert facts.get("profile.input_share").value == pytest.approx(0.4)
    assert facts.get("profile.collective_share").value == pytest.approx(0.05)
    assert facts.get("profile.step_seconds").value == pytest.approx(0.1)
    assert facts.get("observed.accelerator").value == "v6e"


def test_a_waiting_step_and_an_impossible_rate_are_found(tmp_path: Path) -> None:
    """The input stall costs, and an operation above the peak is false."""
    operations = table(
        ("hlo_op_name", "category", "total_self_time", "model_flop_rate", "bound_by", "occurrences"),
        [
            ["splash.1", "custom-call", 60.0, 2_000_000.0, "Compute", 8],
            ["copy.2", "copy", 40.0, 0.0, "HBM", 8],
        ],
        {},
    )
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({"overview_page": [steps(40.0)], "hlo_stats": operations}), encoding="utf-8")
    names = [finding.name for finding in diagnose(str(path)).report.findings]
    assert "profile-op-above-peak" in names
    assert "profile-input-bound" in names


def test_a_healthy_profile_gives_no_warning(tmp_path: Path) -> None:
    """Nothing is said where nothing is wrong."""
    path = tmp_path / "profile.json"
    path.write_text(json.dumps([steps(1.0)]), encoding="utf-8")
    assert not diagnose(str(path)).report.findings


def test_json_without_tables_is_refused() -> None:
    """Any other JSON is one sentence, not a crash."""
    with pytest.raises(UsageError, match="no XProf table"):
        read_tables('{"a": [1, 2]}', "x.json")
    with pytest.raises(UsageError, match="not JSON"):
        read_tables("[" * 100_000, "x.json")


PROGRAM = """
import sys, jax, jax.numpy as jnp
step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
x = jnp.ones((256, 256))
step(x).block_until_ready()
with jax.profiler.trace(sys.argv[1]):
    for number in range(4):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            step(x).block_until_ready()
"""


@pytest.mark.toolchain
def test_a_real_xplane_is_read(tmp_path: Path) -> None:
    """A profile that JAX itself wrote gives the steps that ran."""
    subprocess.run(
        [toolchain_python(), "-c", PROGRAM, str(tmp_path)],
        check=True,
        capture_output=True,
        env={"JAX_PLATFORMS": "cpu", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=300,
    )
    path = next(tmp_path.rglob("*.xplane.pb"))
    observed = {item.fact: item.value for item in diagnose(str(path)).report.observed}
    assert observed["profile.steps"] == "4"


@pytest.mark.toolchain
def test_a_damaged_xplane_is_one_sentence(tmp_path: Path) -> None:
    """Half a profile is said to be unreadable."""
    path = tmp_path / "broken.xplane.pb"
    path.write_bytes(b"\\x0a\\xff\\xff\\xff" * 64)
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "diagnose", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode in (0, 2, 4)
    assert "Traceback" not in done.stderr

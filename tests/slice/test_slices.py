"""Chips and shapes: what libtpu describes is what the program sees, and what the chip data says."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.slice.conftest import PROGRAMS

from tpuguru.hardware.names import parse_slice

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SLICES = ["v5e:2x2", "v5p:2x2x1", "v4:2x2x1", "v6e:1x1", "v6e:16x16", "tpu7x:4x4x4", "2xv6e-8", "2xtpu7x-8"]


@pytest.fixture(scope="module")
def seen(python: Path, folders: dict[str, str]) -> dict[str, dict[str, Any]]:
    """One process that goes from slice to slice with the context manager."""
    source = str(Path(__file__).resolve().parents[2] / "src")
    done = subprocess.run(
        [str(python), str(PROGRAMS / "slices.py"), *SLICES],
        env=os.environ | folders | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, done.stderr[-3000:]
    return {line["slice"]: line for line in lines}


@pytest.mark.parametrize("name", SLICES)
def test_a_slice_is_what_its_name_says(seen: dict[str, dict[str, Any]], name: str) -> None:
    """Devices, kind, slice indices and memory agree with the chip data, which has them from elsewhere."""
    tpu = parse_slice(name)
    told = seen[name]
    assert told["count"] == tpu.devices
    assert told["slices"] == list(range(tpu.slices))
    assert told["limit"] == pytest.approx(tpu.chip.hbm_per_device, rel=1e-3)


@pytest.mark.parametrize("name", SLICES)
def test_first_and_last_device_are_accounted(seen: dict[str, dict[str, Any]], name: str) -> None:
    """An array on either is counted there, and what happened is recorded."""
    assert all(held >= 4096 for held in seen[name]["held"])
    assert seen[name]["records"] >= 3


def test_after_the_blocks_the_cpu_is_back(seen: dict[str, dict[str, Any]]) -> None:
    """The process goes on with real arithmetic on the CPU."""
    assert (seen[""]["kind"], seen[""]["sum"]) == ("cpu", 6.0)

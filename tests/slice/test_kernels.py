"""Mosaic kernels have values: JAX's own kernels and small ones of each feature, beside plain JAX."""

import json
import re
from typing import Any

import pytest
from tests.slice.conftest import PROGRAMS, Rehearse, Run

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

CHECKS = re.findall(r"@check\ndef (\w+)", (PROGRAMS / "kernel_checks.py").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run(rehearse: Rehearse) -> Run:
    """All checks in one process, as their own program would run them."""
    return rehearse("--slice", "v6e:2x2", program="kernel_checks.py")


@pytest.fixture(scope="module")
def results(run: Run) -> dict[str, dict[str, Any]]:
    """The program's own verdicts, by check."""
    told = [json.loads(line) for line in run.lines() if line.startswith('{"check"')]
    return {each["check"]: each for each in told}


@pytest.mark.parametrize("name", CHECKS)
def test_kernel(results: dict[str, dict[str, Any]], name: str, run: Run) -> None:
    """The values that the rehearsed program read are those of its reference."""
    assert name in results, run.stderr[-3000:]
    assert results[name]["ok"], results[name]["detail"]["error"]


def test_the_only_unknown_value_says_why(run: Run) -> None:
    """Nothing but the kernel with a million grid points stayed unknown, and its size is given as the reason."""
    [read] = run.report["unknown_reads"]
    assert re.search(r"its 1000000 grid points would take \d+ s to interpret", read["reason"])

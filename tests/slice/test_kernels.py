"""Mosaic kernels have values: JAX's own kernels and small ones of each feature, beside plain JAX."""

import re
from typing import Any

import pytest
from tests.slice.conftest import Rehearse, Run, assert_passed, checks_of, verdicts

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture(scope="module")
def run(rehearse: Rehearse) -> Run:
    """All checks in one process, as their own program would run them."""
    return rehearse("--slice", "v6e:2x2", program="kernel_checks.py")


@pytest.fixture(scope="module")
def results(run: Run) -> dict[str, dict[str, Any]]:
    """The program's own verdicts, by check."""
    return verdicts(run)


@pytest.mark.parametrize("name", checks_of("kernel_checks.py"))
def test_kernel(results: dict[str, dict[str, Any]], name: str, run: Run) -> None:
    """The values that the rehearsed program read are those of its reference."""
    assert_passed(results, name, run)


def test_the_only_unknown_value_says_why(run: Run) -> None:
    """Nothing but the kernel with a million grid points stayed unknown, and its size is given as the reason."""
    [read] = run.report["unknown_reads"]
    assert re.search(r"its 1000000 grid points would take \d+ s to interpret", read["reason"])

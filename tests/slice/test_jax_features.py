"""What users do with JAX beyond training works on a virtual slice, or is refused by name."""

from typing import Any

import pytest
from tests.slice.conftest import Rehearse, Run, assert_passed, checks_of, verdicts

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture(scope="module")
def run(rehearse: Rehearse) -> Run:
    """All checks in one process, as their own program would run them."""
    return rehearse("--slice", "v6e:2x2", program="jax_features.py")


@pytest.fixture(scope="module")
def results(run: Run) -> dict[str, dict[str, Any]]:
    """The program's own verdicts, by check."""
    return verdicts(run)


@pytest.mark.parametrize("name", checks_of("jax_features.py"))
def test_feature(results: dict[str, dict[str, Any]], name: str, run: Run) -> None:
    """The check's own assertions hold inside the rehearsed program."""
    assert_passed(results, name, run)


def test_worker_processes_are_no_ranks(run: Run) -> None:
    """Processes that the program starts itself take no part: one process, whose record is whole."""
    assert run.code == 0, run.stderr[-2000:]
    assert run.report["slice"]["processes"] == 1
    assert all(device["exact"] for device in run.report["devices"])

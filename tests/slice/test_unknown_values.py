"""Values that are not known: checks pass, loops end, and the report says who was told what."""

from typing import Any

import pytest
from tests.slice.conftest import Rehearse, Run

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture(scope="module")
def run(rehearse: Rehearse) -> Run:
    """The program of checks and loops."""
    return rehearse("--slice", "v6e:1x1", "--timeout", "120", program="unknown_values.py")


def reads(run: Run, line: str) -> list[dict[str, Any]]:
    return [read for read in run.report["unknown_reads"] if read["ended"] == line]


def test_loops_end_and_checks_pass(run: Run) -> None:
    """Every loop ends after fifty usual answers, the second run of one as well; no check fails."""
    assert run.code == 0, run.stderr[-3000:]
    assert run.lines() == [
        "while_not_done 50",
        "while_not_done 50",
        "until_it_converges 50",
        "until_the_last_token 51",
        "while_not_all 50",
        "while_not_all_of_an_array 50",
        "checks passed",
        "printed nan",
    ]


def test_the_report_says_what_was_told(run: Run) -> None:
    """Each line is there once, with its count and its answers."""
    [token] = reads(run, "151643")
    assert (token["use"], token["told"], token["count"]) == ("loop", "0", 51)
    assert ":32" in token["python"]
    ended = [read for read in run.report["unknown_reads"] if read["ended"]]
    assert sum(read["count"] for read in ended) > 250
    passed = [read for read in run.report["unknown_reads"] if read["use"] == "assert"]
    assert len(passed) >= 5
    plain = [read for read in run.report["unknown_reads"] if not read["use"]]
    assert [read["told"] for read in plain] == ["NaN"]


def test_a_line_is_warned_about_once(run: Run) -> None:
    """However often it asks."""
    warned = [line for line in run.stderr.splitlines() if "unknown_values.py:32 " in line]
    assert len(warned) == 2  # that it is not known, and that its loop was ended

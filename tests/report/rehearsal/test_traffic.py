"""Collectives of a rehearsal, in each step and beside the steps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.rehearsal.kept import STEP

from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.wire import least_sent
from tpuguru.report.rehearsal.programs import ReadProgram
from tpuguru.report.rehearsal.traffic import traffic_of
from tpuguru.slice.summary import ProgramSummary

EXTRACT = extract_folder(STEP)


def program(name: str, runs: int) -> ReadProgram:
    """The hand-written step under another name."""
    summary = ProgramSummary(name, name, 1, runs, runs, 1.0, False, 1.0, 1, 1, 1, 1, 0, "a.py:1", ())
    return ReadProgram(summary, EXTRACT)


def test_programs_that_run_in_every_step_are_summed() -> None:
    """A program that runs twice a step counts twice; one that ran less often than the step stands beside."""
    step, metrics, setup = program("step", 5), program("metrics", 10), program("setup", 1)
    traffic = traffic_of([step, metrics, setup], step.summary)
    alone = traffic_of([step], step.summary)
    assert traffic.steps == 5
    assert [row.payload for row in traffic.each_step] == [3 * row.payload for row in alone.each_step]
    assert [row.payload for row in traffic.beside] == [row.payload for row in alone.each_step]
    assert traffic.each_step[0].programs == ("step", "metrics")
    assert sum(row.payload for row in alone.each_step) == EXTRACT.collectives.bytes_per_step


def test_without_a_second_step_everything_is_one() -> None:
    """A program that ran once has no steps: its executions are summed as they are."""
    step, setup = program("step", 1), program("setup", 1)
    traffic = traffic_of([step, setup], step.summary)
    assert traffic.beside == ()
    assert sum(row.payload for row in traffic.each_step) == 2 * EXTRACT.collectives.bytes_per_step


def test_a_program_that_was_not_read_has_no_traffic() -> None:
    """It is neither an error nor a zero beside it."""
    step = program("step", 3)
    assert traffic_of([replace(step, extract=None)], step.summary).each_step == ()


@pytest.mark.parametrize(
    ("kind", "group", "expected"),
    [
        ("all-gather", 4, 750),
        ("reduce-scatter", 4, 750),
        ("all-reduce", 4, 1500),
        ("all-to-all", 2, 500),
        ("collective-permute", 4, 1000),
        ("all-reduce", 1, 0),
        ("all-gather", 0, 1000),
    ],
)
def test_the_least_that_must_be_sent(kind: str, group: int, expected: int) -> None:
    """By the well-known lower bounds, for a payload of 1000 bytes."""
    assert least_sent(kind, 1000, group) == expected


@given(
    st.sampled_from(["all-gather", "all-reduce", "all-to-all"]), st.integers(0, 2**50), st.integers(1, 9999)
)
def test_a_larger_group_never_sends_less(kind: str, payload: int, group: int) -> None:
    """And never more than twice the payload."""
    assert least_sent(kind, payload, group) <= least_sent(kind, payload, group + 1) <= 2 * payload

"""Two slices with values: collectives over each mesh axis, in one process and in one a host."""

import json

import pytest
from tests.slice.conftest import Rehearse

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.mark.parametrize(("processes", "words"), [("one", ()), ("per-host", ("distributed",))])
def test_collectives_over_both_axes_are_right(
    rehearse: Rehearse, processes: str, words: tuple[str, ...]
) -> None:
    """Sums over the slices, over a slice and over all, a gradient, and a program of the second slice alone."""
    run = rehearse(
        *("--slice", "2xv6e:2x2", "--processes", processes), program="two_slices.py", arguments=words
    )
    assert run.code == 0, run.stderr[-3000:]
    ranks = 2 if words else 1
    told = [json.loads(line) for rank in range(ranks) for line in run.lines(rank) if line.startswith("{")]
    assert [each["process"] for each in told] == list(range(ranks))
    owned = {device for each in told for device in each["ids"]}
    assert owned == {first + i for first in (100000, 200000) for i in range(4)}
    assert run.report["unknown_reads"] == []

"""No cry-wolf: launches that ran and were published get no critical finding but those of outgrown keys."""

import pytest
from tests.report.lint.pastes import findings
from tests.rules.published_launches import published

PUBLISHED = published()

REFUSED = {
    "a17": {"renamed-key"},
    "a23": {"expert-key-without-expert-parallelism"},
    "a24": {"expert-key-without-expert-parallelism", "renamed-key"},
    "a25": {"expert-key-without-expert-parallelism", "renamed-key"},
}
"""Launches of older versions that MaxText 0.2.5 refuses, and why: each was tried with the package itself."""

LOST = {
    "a03": {"master-weights-not-float32"},
    "a08": {"capacity-factor-drops-tokens", "batch-reused-every-step"},
    "a18": {"remat-name-absent-from-block"},
    "a19": {"remat-name-absent-from-block"},
    "a20": {"static-scale-without-quantised-gather"},
    "a21": {"remat-name-absent-from-block", "fractional-batch-drops-data"},
    "a22": {"remat-name-absent-from-block"},
    "a23": {"router-replaced-by-random"},
    "a26": {"remat-key-without-custom-policy"},
}
"""What is known to be ignored or lost in published launches, by comparing their lowered programs."""


def test_the_published_launches_are_there() -> None:
    """A moved folder must not make the tests below pass by checking nothing."""
    assert len(PUBLISHED) >= 25
    assert set(REFUSED) | set(LOST) <= set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_launch_that_ran_has_nothing_critical_but_outgrown_keys(name: str) -> None:
    """A false alarm on a good recipe costs the trust in all others."""
    found = findings(PUBLISHED[name])
    critical = {finding.name for finding in found.values() if finding.severity == "critical"}
    assert critical == REFUSED.get(name, set())


@pytest.mark.parametrize("name", LOST)
def test_what_a_published_launch_is_known_to_lose_is_found(name: str) -> None:
    """The dead settings of published recipes are the reason that these rules exist."""
    assert set(findings(PUBLISHED[name])) >= LOST[name]

"""No cry-wolf: launches that ran and were published get no critical finding."""

import pytest
from tests.report.lint.pastes import report_of
from tests.rules.published_launches import published

PUBLISHED = published()
RAN = [name for name, launch in PUBLISHED.items() if not launch.refused]
REFUSED = [name for name, launch in PUBLISHED.items() if launch.refused]

DEAD = {
    "llama3.1-405b on v5p-1024": {"remat-name-absent-from-block"},
    "llama3.1-70b on tpu7x 4x4x4": {"remat-name-absent-from-block"},
    "llama3.1-405b on tpu7x 4x8x8": {"remat-name-absent-from-block"},
    "llama3.1-70b 128k on tpu7x 4x8x8": {"remat-name-absent-from-block", "fractional-batch-drops-data"},
    "gemma4-26b on tpu7x 4x4x4": {"remat-key-without-custom-policy"},
    "mixtral-8x7b on v6e-256": {"capacity-factor-drops-tokens", "batch-reused-every-step"},
    "llama3.1-70b on v6e-32": {"master-weights-not-float32"},
    "llama3.1-70b fp8 on tpu7x 4x4x4": {"static-scale-without-quantised-gather"},
}
"""What is known to be silently ignored or lost in published launches (proved by comparing lowered programs)."""


@pytest.mark.parametrize("name", RAN)
def test_a_launch_that_ran_has_nothing_critical(name: str) -> None:
    """A false alarm on a good recipe costs the trust in all others."""
    findings = report_of(PUBLISHED[name].script).findings
    assert [finding.name for finding in findings if finding.severity == "critical"] == []
    assert {finding.name for finding in findings} >= DEAD.get(name, set())


@pytest.mark.parametrize("name", REFUSED)
def test_a_launch_that_this_version_refuses_is_critical_for_that_reason_alone(name: str) -> None:
    """Old recipes meet a new check; the finding names it."""
    findings = report_of(PUBLISHED[name].script).findings
    assert [finding.name for finding in findings if finding.severity == "critical"] == [
        "expert-key-without-expert-parallelism"
    ]

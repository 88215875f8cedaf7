"""What comments do to findings: an ignore with a reason, a reason for a setting, and what is no reason."""

import pytest
from tests.report.lint.pastes import ENTRY, SCRIPT, findings, run_of, with_comment

from tpuguru.base.exit_codes import ExitCode
from tpuguru.report.lint.comments import is_reason

DEAD = "remat-key-without-custom-policy"
NARROW = "master-weights-not-float32"


def test_without_comments_both_are_found() -> None:
    """What the other tests change is there before."""
    found = findings(SCRIPT)
    assert (found[DEAD].severity, found[NARROW].severity) == ("warn", "warn")
    assert found[NARROW].setting == "weight_dtype=bfloat16"


def test_an_ignore_with_a_reason_marks_the_finding_and_keeps_it() -> None:
    """A suppressed finding stays visible to those who look, with its reason and place."""
    found = findings(with_comment(f"# tpuguru: ignore[{NARROW}] a throughput test", above="weight_dtype"))
    suppression = found[NARROW].suppression
    assert suppression is not None
    assert (suppression.kind, suppression.reason) == ("comment", "a throughput test")
    assert found[NARROW].suppressed_by == "comment at run.sh:7:3: a throughput test"
    assert found[DEAD].suppression is None


def test_an_ignore_beside_the_setting_and_by_id_works_too() -> None:
    """People write it where it fits and with what they remember."""
    text = SCRIPT.replace("weight_dtype=bfloat16", "weight_dtype=bfloat16  # tpuguru: ignore[R-T38] measured")
    assert findings(text)[NARROW].suppression is not None


def test_several_rules_in_one_ignore() -> None:
    """One comment may cover what belongs together."""
    found = findings(with_comment(f"# tpuguru: ignore[{DEAD}, R-T12] left over", above="remat_policy"))
    assert found[DEAD].suppression is not None
    assert "unused-ignore" not in found


def test_an_ignore_without_a_reason_ignores_nothing_and_is_reported() -> None:
    """The reason is what the next reader needs."""
    found = findings(with_comment(f"# tpuguru: ignore[{NARROW}]", above="weight_dtype"))
    assert found[NARROW].suppression is None
    assert found["ignore-without-reason"].location is not None
    assert found["ignore-without-reason"].location.line == 7


def test_an_ignore_without_a_rule_is_reported() -> None:
    """A blanket ignore would hide what is found next year."""
    assert "ignore-without-rule" in findings(with_comment("# tpuguru: ignore whatever", above="weight_dtype"))


def test_an_ignore_of_a_rule_that_does_not_exist_is_reported_with_the_nearest() -> None:
    """A renamed rule must not leave a dead comment behind."""
    found = findings(with_comment("# tpuguru: ignore[master-weights-not-float] tested", above="weight_dtype"))
    assert found["ignore-of-unknown-rule"].fix == "did you mean master-weights-not-float32?"
    assert found[NARROW].suppression is None


def test_an_unused_ignore_is_reported() -> None:
    """A stale ignore would hide the same fault when it comes back."""
    found = findings(with_comment("# tpuguru: ignore[key-written-twice] once it was", above="weight_dtype"))
    assert found["unused-ignore"].severity == "info"


def test_an_ignore_far_from_any_setting_is_reported_too() -> None:
    """A comment in the wrong place covers nothing, which its author should know."""
    assert "unused-ignore" in findings(SCRIPT + f"\n# tpuguru: ignore[{NARROW}] at the end\n\n")


def test_an_ignore_of_a_rule_that_cannot_tell_yet_is_not_unused() -> None:
    """The compile may still find what is ignored here."""
    text = with_comment("# tpuguru: ignore[large-parameter-replicated] known", above="weight_dtype")
    assert "unused-ignore" not in findings(text)


def test_a_reason_lowers_the_finding_to_info_and_is_quoted() -> None:
    """Somebody thought about it; the finding stays for those who disagree."""
    found = findings(with_comment("# NOTE(lee): as the recipe has it", above="remat_policy"))
    assert found[DEAD].severity == "info"
    assert found[DEAD].explained_by == "NOTE(lee): as the recipe has it"
    assert "explained at run.sh:4:3: «NOTE(lee): as the recipe has it»" in found[DEAD].message


def test_a_reason_ends_at_the_blank_line() -> None:
    """Its scope is the contiguous settings below it."""
    assert findings(with_comment("# NOTE: needed here", above="model_name"))[NARROW].severity == "warn"


def test_a_note_above_a_switched_off_setting_explains_only_that() -> None:
    """«not supported yet» is said about the line that is commented out."""
    text = with_comment("# NOTE: not supported yet\n  # scan_layers=False", above="remat_policy")
    assert findings(text)[DEAD].severity == "warn"


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# NOTE(wuhan): to avoid algorithm performance degradation", True),
        ("# NOTE: x", True),
        ("# because the sharded checkpoint of step 100 has this type", True),
        ("# gated delta net does not support flash attention backend", True),
        ("# should be good for model performance", True),
        ("# 因为检查点是这个类型", True),
        ("# avoid OOM", False),
        ("# avoid OOM on long samples", True),
        ("# needed for MLA", True),
        ("# optimizer", False),
        ("# TODO: since this is slow it must be changed", False),
        ("# --remat full  needed because of memory", False),
        ("# weight_dtype=float32 because it must be", False),
        ("# the first of the two arrays below", False),
        ("# ------------------------------------", False),
    ],
)
def test_what_counts_as_a_reason(comment: str, reason: bool) -> None:
    """A heading, a disabled flag or two stale words explain nothing; a note or a sentence with a cause does."""
    assert is_reason(comment) is reason


def test_an_ignore_used_in_one_variant_is_used() -> None:
    """The variants of a script share its comments."""
    text = f"""#!/bin/bash
EXTRA=()
if [ "$MODE" = "narrow" ]; then
  # tpuguru: ignore[{NARROW}] a throughput test
  EXTRA+=(weight_dtype=bfloat16)
fi
{ENTRY} model_name=llama3.1-8b "${{EXTRA[@]}}"
"""
    run = run_of(text)
    names = [found.judged.finding.name for found in run.findings]
    assert "unused-ignore" not in names
    assert run.exit_code == ExitCode.CLEAN


def test_secrets_in_a_quoted_comment_are_redacted() -> None:
    """Reports are pasted into issues."""
    found = findings(with_comment("# NOTE: HF_TOKEN=hf_abcdef123456 because of it", above="remat_policy"))
    assert "hf_abcdef123456" not in found[DEAD].message + found[DEAD].explained_by

"""A baseline follows the content, not the line numbers."""

from pathlib import Path

import pytest
from tests.report.lint.pastes import SCRIPT, report_of, run_of, touch

from tpuguru.base.errors import UsageError
from tpuguru.facts.finding import Severity
from tpuguru.report.lint.baseline import baseline_document, read_baseline
from tpuguru.report.lint.settings import LintSettings


def accepted(folder: Path, text: str = SCRIPT) -> LintSettings:
    """Write a baseline of what a text gives now, and return settings that use it."""
    run = run_of(text)
    pairs = [(found.judged.finding, found.fingerprint) for found in run.findings]
    path = touch(folder / "baseline.json", baseline_document(pairs))
    return LintSettings(fail_on=Severity.INFO, baseline=path)


def test_what_was_there_does_not_count(tmp_path: Path) -> None:
    """A repository can start with what it has."""
    report = report_of(SCRIPT, accepted(tmp_path))
    assert {finding.baseline for finding in report.findings} == {"unchanged"}
    assert report.summary.in_baseline == len(report.findings) > 1
    assert run_of(SCRIPT, accepted(tmp_path)).exit_code == 0


def test_it_survives_moved_lines_and_other_spacing(tmp_path: Path) -> None:
    """Adding a comment above must not bring every finding back."""
    settings = accepted(tmp_path)
    moved = SCRIPT.replace("ARGUMENTS=(", "# a new line\n\nARGUMENTS=(").replace("  weight", "\tweight")
    assert run_of(moved, settings).exit_code == 0


def test_a_new_fault_counts(tmp_path: Path) -> None:
    """The baseline hides what was, not what comes."""
    settings = accepted(tmp_path)
    changed = SCRIPT.replace("steps=30", "steps=30 use_qwix_quantization=True")
    new = [finding.name for finding in report_of(changed, settings).findings if finding.baseline == "new"]
    assert new == ["qwix-without-quantization"]
    assert run_of(changed, settings).exit_code == 1


def test_another_value_of_the_setting_counts(tmp_path: Path) -> None:
    """Accepting bfloat16 is not accepting everything."""
    settings = accepted(tmp_path)
    assert run_of(SCRIPT.replace("weight_dtype=bfloat16", "weight_dtype=float16"), settings).exit_code == 1


def test_a_second_one_of_the_same_counts(tmp_path: Path) -> None:
    """Equal findings are counted, so that one accepted does not accept two."""
    settings = accepted(tmp_path)
    run = run_of(SCRIPT + SCRIPT.replace("#!/bin/bash\n", "").replace("ARGUMENTS", "MORE"), settings)
    assert len({found.fingerprint for found in run.findings}) == len(run.findings)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"schema": "baseline/v0", "findings": []}', "\x00"])
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: str) -> None:
    """A broken baseline must not accept everything or nothing."""
    with pytest.raises(UsageError, match="is not a baseline"):
        read_baseline(touch(tmp_path / "baseline.json", content))


def test_a_missing_baseline_is_refused(tmp_path: Path) -> None:
    """A mistyped path would bring every old finding back."""
    with pytest.raises(UsageError, match="cannot be read"):
        run_of(SCRIPT, LintSettings(baseline=tmp_path / "none.json"))

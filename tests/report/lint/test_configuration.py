"""Configuration files, selection, severities and accepted findings."""

from pathlib import Path

import pytest
from tests.report.lint.pastes import SCRIPT, findings, report_of, run_of, touch

from tpuguru.base.errors import UsageError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.facts.finding import Severity
from tpuguru.launch.reader import read_paste
from tpuguru.report.lint.configuration import find_settings
from tpuguru.report.lint.run import lint
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import load_catalog

DEAD = "remat-key-without-custom-policy"
NARROW = "master-weights-not-float32"


def test_the_nearest_file_wins(tmp_path: Path) -> None:
    """A folder may be stricter than the repository."""
    touch(tmp_path / "pyproject.toml", '[tool.tpuguru]\nfail-on = "warn"\nignore = ["R-T38"]\n')
    touch(tmp_path / "near" / "tpuguru.toml", 'fail-on = "info"\n')
    assert find_settings(tmp_path / "near" / "deep").fail_on is Severity.INFO
    assert find_settings(tmp_path).ignore == ("R-T38",)
    assert find_settings(tmp_path).source == str(tmp_path / "pyproject.toml")


def test_a_pyproject_of_others_is_passed_over(tmp_path: Path) -> None:
    """Most pyproject files say nothing about us; even broken ones are not ours to complain about."""
    touch(tmp_path / "near" / "pyproject.toml", "[tool.ruff]\nline-length = \n")
    touch(tmp_path / "tpuguru.toml", 'select = ["silent-failure"]\n')
    assert find_settings(tmp_path / "near").select == ("silent-failure",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fail-on = 'wran'", "fail-on in"),
        ("selct = ['a']", "unknown key selct"),
        ("select = 3", "select must be a list of texts"),
        ("baseline = 3", "baseline must be a text"),
        ("ignores = 3", "ignores must be a list of tables"),
        ("[[ignores]]\nrule = 'a'", "an ignore needs `rule` and `reason`"),
        ("[[ignores]]\nrule = 'a'\nreason = 'b'\nuntil = '2027-01-01'", "until must be a date"),
        ("[[ignores]]\nrule = 'a'\nreason = 'b'\nfile = 'c'", "unknown key file"),
        ("select = [", "is not TOML"),
        ("\x00", "is not TOML"),
    ],
)
def test_a_faulty_configuration_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    """A mistyped key must not silently change what is checked."""
    touch(tmp_path / "tpuguru.toml", text)
    with pytest.raises(UsageError) as caught:
        find_settings(tmp_path)
    assert sentence in caught.value.message


@pytest.mark.parametrize("pattern", [DEAD, "R-T12", "R-T1", "silent-failure", "all"])
def test_rules_are_selected_by_name_id_prefix_or_category(pattern: str) -> None:
    """People remember one of these."""
    assert DEAD in findings(SCRIPT, LintSettings(select=(pattern,)))
    assert DEAD not in findings(SCRIPT, LintSettings(ignore=(pattern,)))


def test_selecting_leaves_the_others_out() -> None:
    """A selection is what is asked, nothing else."""
    assert set(findings(SCRIPT, LintSettings(select=("numerics",)))) == {NARROW}


def test_a_pattern_that_means_nothing_is_an_error() -> None:
    """A mistyped selection would check nothing and look clean."""
    with pytest.raises(UsageError, match="select names master-weights-not-float33") as caught:
        run_of(SCRIPT, LintSettings(select=("master-weights-not-float33",)))
    assert caught.value.help is not None
    assert caught.value.help.startswith("did you mean master-weights-not-float32")


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [(Severity.CRITICAL, 0), (Severity.WARN, 1), (Severity.INFO, 1), (None, 0)],
)
def test_the_exit_code_follows_the_chosen_severity(fail_on: Severity | None, code: int) -> None:
    """The script has warnings and nothing critical."""
    assert run_of(SCRIPT, LintSettings(fail_on=fail_on)).exit_code == code


def test_min_severity_leaves_out_what_is_below() -> None:
    """Information can be switched off."""
    assert DEAD in findings(SCRIPT, LintSettings(min_severity=Severity.WARN))
    assert findings(SCRIPT, LintSettings(min_severity=Severity.CRITICAL)) == {}


def test_an_ignore_in_the_configuration_needs_a_fitting_path(tmp_path: Path) -> None:
    """Files that cannot be edited are accepted from outside, with a reason."""
    touch(
        tmp_path / "tpuguru.toml",
        f'[[ignores]]\nrule = "{NARROW}"\npath = "*.sh"\nreason = "vendored"\n'
        f'[[ignores]]\nrule = "{DEAD}"\npath = "other/*.sh"\nreason = "vendored"\n',
    )
    found = findings(SCRIPT, find_settings(tmp_path))
    suppression = found[NARROW].suppression
    assert suppression is not None
    assert (suppression.kind, suppression.reason) == ("configuration", "vendored")
    assert found[DEAD].suppression is None


def test_an_ignore_ends_on_its_day(tmp_path: Path) -> None:
    """«Until» is a promise to look again."""
    text = f'[[ignores]]\nrule = "{NARROW}"\nreason = "for now"\nuntil = '
    touch(tmp_path / "tpuguru.toml", text + "2999-01-01\n")
    assert findings(SCRIPT, find_settings(tmp_path))[NARROW].suppression is not None
    touch(tmp_path / "tpuguru.toml", text + "2020-01-01\n")
    assert findings(SCRIPT, find_settings(tmp_path))[NARROW].suppression is None


def test_suppressed_findings_do_not_fail_the_run(tmp_path: Path) -> None:
    """An accepted finding is accepted."""
    touch(
        tmp_path / "tpuguru.toml",
        f'fail-on = "warn"\n[[ignores]]\nrule = "{NARROW}"\nreason = "a"\n'
        f'[[ignores]]\nrule = "{DEAD}"\nreason = "b"\n',
    )
    assert run_of(SCRIPT, find_settings(tmp_path)).exit_code == ExitCode.CLEAN


def test_a_slice_given_as_an_option_settles_what_the_launch_leaves_open() -> None:
    """Rules about devices say what they need, and take it."""
    open_launch = SCRIPT.replace("steps=30", "steps=30 per_device_batch_size=1.3")
    settings = LintSettings(select=("batch-rounded-down",))
    left_open = report_of(open_launch, settings)
    assert [rule.what for rule in left_open.not_checked] == ["batch-rounded-down"]
    assert left_open.not_checked[0].stage == "said"
    run = lint([read_paste(open_launch, "run.sh")], load_catalog(), settings, [("slice", "v6e-8")])
    assert [found.judged.finding.name for found in run.findings] == ["batch-rounded-down"]


def test_a_slice_given_as_an_option_goes_before_what_the_launch_says() -> None:
    """«What would it be on a larger slice?» is asked with an option."""
    text = SCRIPT.replace("steps=30", "steps=30 compile_topology=v6e-8 ici_fsdp_parallelism=8")
    settings = LintSettings(select=("ici-product-is-not-the-slice",))
    assert run_of(text, settings).findings == ()
    run = lint([read_paste(text, "run.sh")], load_catalog(), settings, [("slice", "v6e-16")])
    assert [found.judged.finding.name for found in run.findings] == ["ici-product-is-not-the-slice"]
    with pytest.raises(UsageError):
        lint([read_paste(text, "run.sh")], load_catalog(), settings, [("slice", "v7e-16")])

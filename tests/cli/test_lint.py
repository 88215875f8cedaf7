"""`tpuguru lint` from its front door: inputs, outputs, exit codes, hostile pastes."""

import io
import json
import os
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from tests.report.lint.pastes import ENTRY, SCRIPT
from tests.report.lint.sarif_structure import SARIF
from tests.rules.rule_files import write_rule

from tpuguru.cli.main import main

CRITICAL = f"{ENTRY} model_name=llama3.1-8b quantization=fp8_full\n"
CLEAN = f"{ENTRY} model_name=llama3.1-8b steps=30\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder with caches and configuration of its own."""
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / ".home" / variable.lower()))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def script(folder: Path, text: str, name: str = "run.sh") -> str:
    """Write a script and return its name."""
    (folder / name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("text", "code"), [(CLEAN, 0), (SCRIPT, 0), (CRITICAL, 1), ("echo hello\n", 3), ("\n\n", 3)]
)
@pytest.mark.parametrize("output_format", ["text", "concise", "json", "sarif", "github", "markdown"])
def test_the_exit_code_is_the_same_in_every_format(
    folder: Path, text: str, code: int, output_format: str
) -> None:
    """0 clean, 1 critical finding, 3 nothing to check; a format is not a verdict."""
    assert main(["lint", script(folder, text), "--output-format", output_format]) == code


def test_fail_on_and_exit_zero(folder: Path) -> None:
    """CI chooses what fails it."""
    name = script(folder, SCRIPT)
    assert main(["lint", name, "--fail-on", "warn"]) == 1
    assert main(["lint", name, "--fail-on", "warn", "--exit-zero"]) == 0
    assert main(["lint", script(folder, CRITICAL), "--fail-on", "never"]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.sh"], "nowhere.sh"),
        (["run.sh", "--fail-on", "wran"], "--fail-on is 'wran'"),
        (["run.sh", "--select", "no-such-rule"], "select names no-such-rule"),
        (["run.sh", "--output-format", "xml"], "unknown output format 'xml'"),
        (["run.sh", "--baseline", "none.json"], "the baseline none.json cannot be read"),
        (["run.sh", "--explain", "no-such-rule"], "no rule is called no-such-rule"),
        (["run.sh", "--output-format", "json=no/such/folder/a.json"], "cannot write no/such/folder/a.json"),
    ],
)
def test_a_faulty_command_line_is_one_sentence_and_exit_two(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    """What the user typed is named, without a traceback."""
    script(folder, CLEAN)
    assert main(["lint", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error


def test_standard_input_under_a_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Editors pipe what is not saved yet."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CRITICAL.encode())))
    assert main(["lint", "-", "--stdin-filename", "draft.sh", "--output-format", "concise"]) == 1
    assert "critical" in capsys.readouterr().out


def test_several_outputs_in_one_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run serves the log, code scanning and the next program."""
    formats = ["sarif=out.sarif", "json=out.json", "markdown=out.md", "concise"]
    words = [word for one in formats for word in ("--output-format", one)]
    assert main(["lint", script(folder, CRITICAL), *words]) == 1
    assert capsys.readouterr().out.endswith("1 finding: 1 critical, 0 warn, 0 info\n")
    jsonschema.validate(json.loads((folder / "out.sarif").read_text()), SARIF)
    assert json.loads((folder / "out.json").read_text())["summary"]["critical"] == 1
    assert (folder / "out.md").read_text().startswith("# tpuguru lint: `run.sh`")
    assert sorted(path.name for path in folder.iterdir()) == ["out.json", "out.md", "out.sarif", "run.sh"]


def test_only_json_is_on_standard_output_even_on_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program that reads it must never meet a sentence in between."""
    assert main(["lint", script(folder, "echo hello\n"), "--output-format", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["errors"][0]["exit_code"] == 3
    assert main(["lint", "nowhere.sh", "--output-format", "sarif"]) == 2
    jsonschema.validate(json.loads(capsys.readouterr().out), SARIF)


def test_a_broken_rule_of_the_repository_stops_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rule that does not load must never look like a rule that found nothing."""
    write_rule(folder / ".tpuguru" / "rules", when="job.flag")
    assert main(["lint", script(folder, CLEAN)]) == 2
    error = capsys.readouterr().err
    assert "a rule cannot be used: no fact is called job.flag" in error
    assert "   10 |   job.flag\n          ^^^^^^^^" in error


def test_a_rule_added_to_the_repository_is_in_force_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Appending a file needs no code and no release; `rules new` writes one that loads."""
    assert main(["rules", "new", "our-rule"]) == 0
    assert main(["rules", "check", ".tpuguru/rules/our-rule.md"]) == 0
    text = f"{ENTRY} model_name=llama3.1-8b steps=30 steps=40\n"
    capsys.readouterr()
    assert main(["lint", script(folder, text), "--output-format", "concise"]) == 0
    assert "[our-rule]" in capsys.readouterr().out
    assert main(["rules", "new", "our-rule"]) == 2
    assert main(["explain", "our-rule"]) == 0
    assert "# Our rule" in capsys.readouterr().out


def test_a_baseline_is_written_and_used(folder: Path) -> None:
    """Start with what there is, fail on what comes."""
    name = script(folder, CRITICAL)
    assert main(["lint", name, "--write-baseline", "baseline.json"]) == 0
    assert main(["lint", name, "--baseline", "baseline.json"]) == 0
    assert main(["lint", name]) == 1


def test_explain_and_show_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The two questions when the result surprises."""
    name = script(folder, CLEAN)
    (folder / "tpuguru.toml").write_text('fail-on = "warn"\n', encoding="utf-8")
    assert main(["lint", name, "--explain", "key-written-twice"]) == 0
    assert capsys.readouterr().out.startswith("key-written-twice (R-T37): not applicable\n  when:\n")
    assert main(["lint", name, "--show-settings"]) == 0
    assert "fail-on = warn" in capsys.readouterr().out
    assert main(["lint", name, "--show-settings", "--no-config"]) == 0
    assert "fail-on = critical" in capsys.readouterr().out


def test_rules_are_listed_for_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """The catalog can be read without the files."""
    assert main(["rules"]) == 0
    assert "remat-key-without-custom-policy" in capsys.readouterr().out
    assert main(["rules", "list", "--output-format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert any(rule["id"] == "R-T12" for rule in document["rules"])


def test_explain_knows_ids_and_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    """A page for each rule, offline."""
    assert main(["explain", "R-T12"]) == 0
    text = capsys.readouterr().out
    for heading in ("## Why", "## Cost", "## Fix", "## Skip when", "## Sources", "## Examples"):
        assert heading in text
    assert main(["explain", "R-T1"]) == 2


HOSTILE = {
    "binary": os.urandom(4096),
    "invalid UTF-8": b"\xff\xfe" + CRITICAL.encode(),
    "carriage returns": CRITICAL.replace("\n", "\r\n").encode(),
    "deep nesting": b"$(" * 2_000 + b"rm -rf /" + b")" * 2_000,
    "a command to run": f"touch executed; $(touch executed) `touch executed`\n{CRITICAL}".encode(),
    "no line end": CRITICAL.strip().encode(),
    "zero bytes": CRITICAL.encode() + b"\x00" * 100,
    "a long word": b"python3 " + b"a" * 1_000_000 + b"\n" + CRITICAL.encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pastes_end_in_a_result_or_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Nothing is executed, nothing is lost, no traceback is shown."""
    (folder / "run.sh").write_bytes(HOSTILE[name])
    started = time.monotonic()
    code = main(["lint", "run.sh", "--output-format", "json"])
    captured = capsys.readouterr()
    json.loads(captured.out)
    assert code in (0, 1, 2, 3)
    assert "bug in tpuguru" not in captured.err
    assert "Traceback" not in captured.err
    assert [path.name for path in folder.iterdir()] == ["run.sh"]
    assert time.monotonic() - started < 60


def test_the_users_file_is_never_changed(folder: Path) -> None:
    """A fix is text."""
    name = script(folder, SCRIPT)
    main(["lint", name, "--output-format", "sarif=out.sarif"])
    assert (folder / name).read_text(encoding="utf-8") == SCRIPT

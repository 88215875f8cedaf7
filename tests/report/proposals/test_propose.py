"""An unknown error becomes a proposal, the proposal a rule, and the rule catches the error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOG = """I0101 starting worker 3
HF_TOKEN=hf_abcdefghijklmnopqrstuvwx0123 python serve.py
Traceback (most recent call last):
  File "x.py", line 12, in <module>
    run()
flumox.errors.FlumoxError: gravitational cache wobbled while flushing shard 17: retry budget spent
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "log.txt").write_text(LOG, encoding="utf-8")
    return tmp_path


def run(folder: Path, *words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", *words],
        cwd=folder,
        env=environment,
        input=answer,
        capture_output=True,
        text=True,
        check=False,
    )


def propose(folder: Path) -> Path:
    done = run(folder, "propose", "--from", "log.txt")
    assert done.returncode == 0, done.stderr
    return next((folder / "proposals").glob("*.md"))


def test_unknown_error_to_rule_that_catches_it(folder: Path) -> None:
    """The whole way, through the command line, without code and without a release."""
    assert run(folder, "diagnose", "log.txt").returncode == 0
    path = propose(folder)
    confirmed = run(folder, "rules", "confirm", str(path), answer="yes\n")
    assert confirmed.returncode == 0, confirmed.stdout + confirmed.stderr
    assert not path.exists()
    caught = run(folder, "diagnose", "log.txt")
    assert caught.returncode == 1
    assert path.stem in caught.stdout
    kept = (folder / "config" / "tpuguru" / "rules" / path.name).read_text(encoding="utf-8")
    assert "<!-- confirmed by " in kept
    again = run(folder, "propose", "--from", "log.txt")
    assert again.returncode == 3
    assert "caught already" in again.stderr


def test_secrets_do_not_reach_the_proposal_or_its_evidence(folder: Path) -> None:
    """A rule file is shared; what was pasted with it is redacted first."""
    propose(folder)
    for written in (folder / "proposals").iterdir():
        assert "hf_abcdef" not in written.read_text(encoding="utf-8")


def test_without_consent_nothing_moves(folder: Path) -> None:
    """No answer is no."""
    path = propose(folder)
    assert run(folder, "rules", "confirm", str(path), answer="").returncode == 0
    assert path.exists()


def test_a_rule_that_fires_where_nothing_is_wrong_is_refused(folder: Path) -> None:
    """The catalog's Good examples are asked before a rule is taken."""
    path = propose(folder)
    text = path.read_text(encoding="utf-8")
    before, _, after = text.partition("  mentions(observed.text")
    greedy = before + '  mentions(observed.text, "v5e*|flumox*")' + after[after.index("\n") :]
    path.write_text(greedy, encoding="utf-8")
    done = run(folder, "rules", "confirm", str(path), "--yes")
    assert done.returncode == 1
    assert "says that nothing is wrong" in done.stdout
    assert path.exists()


def test_a_known_fault_is_not_proposed_again(folder: Path) -> None:
    """A second rule for the same fault is noise."""
    (folder / "known.txt").write_text("E2001: rhs element type is not supported\n", encoding="utf-8")
    done = run(folder, "propose", "--from", "known.txt")
    assert done.returncode == 3
    assert "mosaic-rhs-type-unsupported" in done.stderr


def test_a_case_brings_its_answer(folder: Path) -> None:
    """A case file already holds the cause; the proposal takes it over as the rule's Why."""
    (folder / "case.toml").write_text(
        'symptom = "The flux stops"\nexpected_answer = "The tank is empty."\nexpected_severity = "blocker"\n'
        'url = "https://example.org/1"\ninput = "ZorbError: flux capacitor drained below the minimum level"\n',
        encoding="utf-8",
    )
    done = run(folder, "propose", "--from", "case.toml")
    assert done.returncode == 0, done.stderr
    text = (folder / "proposals" / "the-flux-stops.md").read_text(encoding="utf-8")
    assert "The tank is empty." in text
    assert "https://example.org/1" in text

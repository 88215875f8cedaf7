"""`tpuguru kb`, `ask` and `route` from the command line: output and exit codes."""

import io
import json
from pathlib import Path

import pytest
from tests.knowledge.pages import claim, write_base

from tpuguru.cli.main import main

Captured = pytest.CaptureFixture[str]


def test_kb_check_is_clean(capsys: Captured) -> None:
    """What ships passes, and the last line counts it."""
    assert main(["kb", "check"]) == 0
    assert ": 0 problems," in capsys.readouterr().out.splitlines()[-1]


def test_kb_check_fails_on_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """A dangling id in the pages of the installation gives exit code 1 and its place."""
    write_base(tmp_path, claim(see="mem-gone"))
    monkeypatch.setattr("tpuguru.knowledge.base.data_directory", lambda name: tmp_path / name)
    assert main(["kb", "check"]) == 1
    out = capsys.readouterr().out
    assert "error: there is no claim 'mem-gone'" in out
    assert "--> knowledge/06-memory.md:8:" in out


def test_a_malformed_page_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """One clear sentence with file, line and column; exit code 2."""
    write_base(tmp_path, claim(source=""))
    monkeypatch.setattr("tpuguru.knowledge.base.data_directory", lambda name: tmp_path / name)
    assert main(["ask", "why"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "claim mem-one has no source" in shown.err
    assert "knowledge/06-memory.md:8:4" in shown.err
    assert "Traceback" not in shown.err


def test_ask_answers_and_refuses(capsys: Captured) -> None:
    """0 with quoted claims; 3 when the question is not covered."""
    assert main(["ask", "why", "is", "my", "KV", "cache", "too", "small"]) == 0
    assert "🟢" in capsys.readouterr().out
    assert main(["ask", "红烧肉怎么做"]) == 3
    assert "没有覆盖" in capsys.readouterr().out


def test_ask_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """A dash takes the question from a pipe."""
    monkeypatch.setattr("sys.stdin", io.StringIO("float32 matmul on TPU is not exact"))
    assert main(["ask", "-", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["covered"] is True
    assert "verify-f32-matmul-bf16" in [quoted["id"] for quoted in document["claims"]]


def test_search_and_show(capsys: Captured) -> None:
    """Search lists ids, show prints one claim, a slip in the id is a usage error."""
    assert main(["kb", "search", "donation", "--limit", "2", "--format", "json"]) == 0
    assert "mem-donation" in [found["id"] for found in json.loads(capsys.readouterr().out)["claims"]]
    assert main(["kb", "show", "mem-donation"]) == 0
    assert "[mem-donation]" in capsys.readouterr().out
    assert main(["kb", "show", "mem-donatoin"]) == 2
    assert "did you mean mem-donation" in capsys.readouterr().err
    assert main(["kb", "search", "x", "--limit", "0"]) == 2


def test_search_for_nothing_known(capsys: Captured) -> None:
    """No match is exit code 3 and is said on stderr."""
    assert main(["kb", "search", "qqzzxx"]) == 3
    assert "no claim matches" in capsys.readouterr().err


def test_figure_fails_when_suspect(capsys: Captured) -> None:
    """A plausible figure passes, an impossible one is a finding."""
    assert main(["kb", "figure", "llama3.1-8b", "v6e-8", "410", "TFLOP/s", "--per", "device"]) == 0
    assert main(["kb", "figure", "llama3.1-8b", "v6e-8", "1000", "TFLOP/s", "--per", "device"]) == 1
    assert "impossible" in capsys.readouterr().out


def test_pages_are_listed(capsys: Captured) -> None:
    """Every page with its summary."""
    assert main(["kb", "pages"]) == 0
    assert "06-memory: Memory." in capsys.readouterr().out


def test_route_prints_playbook_and_pages(tmp_path: Path, capsys: Captured) -> None:
    """Words, a file and the playbook itself."""
    assert main(["route", "much", "faster"]) == 0
    assert capsys.readouterr().out.startswith("playbooks/too-good.md (pages: 02-silent-failures")
    log = tmp_path / "log.txt"
    log.write_bytes(b"\xff RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm\n" * 10)
    assert main(["route", "--file", str(log), "--show"]) == 0
    assert "## Stop when" in capsys.readouterr().out
    assert main(["route", "--file", str(tmp_path / "gone")]) == 2
    assert main(["route"]) == 3

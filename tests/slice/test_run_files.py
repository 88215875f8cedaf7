"""A run that cannot keep what it did goes on, and says so."""

import json
from pathlib import Path

import pytest

from tpuguru.base.errors import ToolFailureError
from tpuguru.slice.run_files import RunFiles, make_folder


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    """The log as it came, JSON whole."""
    notes: list[str] = []
    with RunFiles(tmp_path, notes) as files:
        files.log("one\n")
        files.log("two \udcff\n")
        files.write("job.json", {"a": 1})
    assert (tmp_path / "output.log").read_text(encoding="utf-8").splitlines() == ["one", "two ?"]
    assert json.loads((tmp_path / "job.json").read_text(encoding="utf-8")) == {"a": 1}
    assert notes == []


def test_a_full_disk_is_noted_once(tmp_path: Path) -> None:
    """The log ends, its next lines are dropped, and nothing is raised."""
    (tmp_path / "output.log").symlink_to("/dev/full")
    (tmp_path / "job.json.part").symlink_to("/dev/full")
    notes: list[str] = []
    with RunFiles(tmp_path, notes) as files:
        files.log("one\n")
        files.log("two\n")
        files.write("job.json", {"a": 1})
    assert notes == [
        "output.log ends early: No space left on device",
        "job.json could not be kept: No space left on device",
    ]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    """With the variable that names another."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolFailureError, match="cannot be made: Not a directory") as raised:
        make_folder(tmp_path / "file" / "run")
    assert "XDG_STATE_HOME" in str(raised.value.help)

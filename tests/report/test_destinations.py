"""Where a report goes: files whole, pipes and devices as they are."""

import os
import threading
from pathlib import Path

import pytest

from tpuguru.base.errors import UsageError
from tpuguru.report.destinations import write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new text stands alone, and nothing is left beside it."""
    path = tmp_path / "report.json"
    path.write_text("old and longer", encoding="utf-8")
    write_whole(path, "new")
    assert [entry.read_text(encoding="utf-8") for entry in tmp_path.iterdir()] == ["new"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    """Replacing a device such as /dev/null by a file would harm the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_whole, args=(pipe, "text"))
    writer.start()
    assert pipe.read_text(encoding="utf-8") == "text"
    writer.join()
    assert pipe.is_fifo()


def test_a_folder_is_one_sentence(tmp_path: Path) -> None:
    """A path that cannot be written is the user's to correct."""
    with pytest.raises(UsageError, match="cannot write"):
        write_whole(tmp_path, "text")

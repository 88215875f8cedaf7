"""What a rehearsal keeps of itself: a full disk ends what is kept, never the run or its report."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tpuguru.base.errors import ToolFailureError


def make_folder(folder: Path) -> None:
    """Make the folder of a run. ToolFailureError where that is not possible."""
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ToolFailureError(
            f"the folder {folder}, where the rehearsal is kept, cannot be made: {error.strerror}",
            help="name another place: XDG_STATE_HOME=… tpuguru rehearse …",
        ) from error


class RunFiles:
    """The log and the JSON files of a run. ``notes`` says what could not be kept."""

    def __init__(self, folder: Path, notes: list[str]) -> None:
        """Write below ``folder``, which is there."""
        self._folder = folder
        self._notes = notes
        self._log = (folder / "output.log").open("wb", buffering=0)
        self._log_ended = False

    def __enter__(self) -> Self:
        """Keep the log open as long as the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the log."""
        self._log.close()

    def log(self, line: str) -> None:
        """Add a line to ``output.log``."""
        if self._log_ended:
            return
        try:
            self._log.write(line.encode("utf-8", "replace"))
        except OSError as error:
            self._log_ended = True
            self._notes.append(f"output.log ends early: {error.strerror}")

    def write(self, name: str, content: dict[str, Any]) -> None:
        """Write a JSON file, whole or not at all."""
        part = self._folder / f"{name}.part"
        try:
            part.write_text(json.dumps(content, indent=1), encoding="utf-8")
            part.replace(self._folder / name)
        except OSError as error:
            self._notes.append(f"{name} could not be kept: {error.strerror}")

"""What one reading of a paste shares: files it may look at, notes, commands found, limits."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.launch.model import Command, Note
from tpuguru.launch.shell.grammar import LONGEST_READING
from tpuguru.launch.shell.outcome import Choice
from tpuguru.launch.shell.state import MAXIMUM_DEPTH, MAXIMUM_STEPS
from tpuguru.launch.source import Source, Traced
from tpuguru.launch.text_input import decode, read_bytes

_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py")
_LEVELS_ABOVE = 3  # scripts/training/text/run.sh sources scripts/entrypoint/local.sh
_LARGEST_SOURCED = 1 << 20
_MOST_NOTES = 200


@dataclass(slots=True)
class Files:
    """Reads the files a script names, inside the project of the paste only."""

    base: Path | None = None  # what relative paths are relative to
    folder: Path | None = None  # where the paste itself lies
    root: Path | None = None  # nothing outside it is ever opened
    cache: dict[Path, Source | None] = field(default_factory=dict)

    @classmethod
    def around(cls, folder: Path | None, base: Path | None = None) -> "Files":
        """Allow the project that ``folder`` is in: up to a repository's top, else three levels above."""
        if folder is None:
            return cls()
        folder = folder.resolve()
        base = (base or folder).resolve()
        above = [folder, *folder.parents]
        marked = next(
            (place for place in above if any((place / mark).exists() for mark in _PROJECT_MARKS)), None
        )
        root = marked or above[min(_LEVELS_ABOVE, len(above) - 2 if len(above) > 1 else 0)]
        return cls(base, folder, root)

    def find(self, path: str, directory: str | None) -> Source | None:
        """Return a file, looked for from ``directory`` and from the paste's folder; None if absent."""
        if self.base is None or self.folder is None or "\0" in path:
            return None
        for place in (directory, "", str(self.folder)):
            if place is None:
                continue
            shown = os.path.normpath(os.path.join(place, path))  # noqa: PTH118 - pathlib keeps «a/../b»
            source = self._read(self.base / shown, shown)
            if source is not None:
                return source
        return None

    def _read(self, path: Path, shown: str) -> Source | None:
        if path in self.cache:
            return self.cache[path]
        source = None
        try:
            real = path.resolve()
            inside = self.root is not None and real.is_relative_to(self.root)
            if inside and real.is_file() and real.stat().st_size <= _LARGEST_SOURCED:
                text, _ = decode(read_bytes(str(real)), shown)
                source = Source(shown, text)
        except (OSError, UsageError, RuntimeError):
            source = None
        self.cache[path] = source
        return source


@dataclass(slots=True)
class Context:
    """Everything one reading collects and is limited by."""

    files: Files = field(default_factory=Files)
    given: Mapping[str, str] = field(default_factory=dict)  # --env NAME=VALUE: filled in by the user
    forced: Mapping[str, str] = field(default_factory=dict)  # the variant that is being read
    groups: Mapping[str, str] = field(default_factory=dict)  # published flag groups, for names left unset
    commands: list[Command] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    written: dict[str, Traced] = field(default_factory=dict)  # files that the script itself writes by heredoc
    stops_by_default: bool = False  # no branch of a mode switch was chosen: only its variants launch anything
    deadline: float = field(default_factory=lambda: time.monotonic() + LONGEST_READING)
    steps: int = 0
    depth: int = 0
    substitutions: int = 0  # $(…) inside $(…): each level is parsed again

    def note(self, kind: str, message: str, location: Location | None = None) -> None:
        """Keep a note once."""
        note = Note(kind, message, location)
        if len(self.notes) < _MOST_NOTES and note not in self.notes:
            self.notes.append(note)

    def spend(self, steps: int = 1) -> bool:
        """Count work done; False when the limit is reached, which is noted once."""
        self.steps += steps
        if self.steps <= MAXIMUM_STEPS and time.monotonic() < self.deadline:
            return True
        self.note(
            "reading-stopped",
            f"the script was followed for {MAXIMUM_STEPS} steps or {LONGEST_READING:.0f} s, and no further",
        )
        return False

    def enter(self) -> bool:
        """Go one level deeper; False when too deep (then ``leave`` must not be called)."""
        if self.depth >= MAXIMUM_DEPTH:
            self.note("nested-too-deep", f"what is nested deeper than {MAXIMUM_DEPTH} levels was not read")
            return False
        self.depth += 1
        return True

    def leave(self) -> None:
        """Come back one level."""
        self.depth -= 1

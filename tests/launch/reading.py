"""Short ways to read a script in tests."""

from pathlib import Path

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.registry import launches
from tpuguru.launch.model import Command, Launch, Paste
from tpuguru.launch.reader import read_paste


def paste_of(text: str, *, folder: Path | None = None, path: str = "run.sh", **given: str) -> Paste:
    """Read a text as ``run.sh``."""
    return read_paste(text, path, folder=folder, given=given)


def commands_of(text: str, program: str = "train", **given: str) -> list[Command]:
    """Return the commands that start ``program``."""
    return [
        command
        for command in paste_of(text, folder=None, path="run.sh", **given).commands
        if text_of(command)[:1] == [program]
    ]


def words_of(text: str, program: str = "train", **given: str) -> list[str]:
    """Return the words after ``program`` of the only command that starts it; unknown ones as ``?``."""
    (command,) = commands_of(text, program, **given)
    return text_of(command)[1:]


def text_of(command: Command) -> list[str]:
    """Return a command's words as texts, unknown ones as ``?``."""
    return ["?" if isinstance(word.text, Unknown) else word.text for word in command.words]


def note_kinds(paste: Paste) -> set[str]:
    """Return the kinds of a paste's notes."""
    return {note.kind for note in paste.notes}


def launch_of(text: str, **given: str) -> Launch:
    """Return the only launch of a text."""
    (launch,) = launches(paste_of(text, folder=None, path="run.sh", **given))
    return launch


def place(launch: Launch, key: str) -> str:
    """Return where a setting is written, as ``line:column``."""
    setting = launch.setting(key)
    assert setting is not None
    assert setting.location is not None
    return f"{setting.location.line}:{setting.location.column}"

"""Recognise Relax's training command and read its flags."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from tpuguru.facts.value import Unknown
from tpuguru.launch.arguments import Nargs, read_flags
from tpuguru.launch.comments import tie_comments
from tpuguru.launch.model import Command, Launch, Note, Paste, Setting, SettingSource, Word
from tpuguru.launch.reader import STDIN

FRAMEWORK = "relax"
SCRIPT = "script"  # key among a launch's targets: the name that was given for standard input
ENTRYPOINT_MISSING = "entrypoint-missing"
_MODULE = re.compile(r"relax\.entrypoints\.train\w*")
_LAST_SCRIPT = 3  # `python3 -u -O train.py`: a script stands no later
_MISSING = re.compile(r"the sourced file (\S+) is not here")
_SCRIPT = re.compile(r"(?:.*/)?relax/entrypoints/train\w*\.py")


def recognises(command: Command) -> bool:
    """Tell whether the command is ``python -m relax.entrypoints.train`` or runs that file."""
    return _entry(command) is not None


def _entry(command: Command) -> tuple[str, tuple[Word, ...]] | None:
    """Return the entry point and the words after it.

    The interpreter may be any program (`"${TRAIN_PYTHON}" -m …`); a path is told by its end when its front is
    known only to the shell.
    """
    before = ""
    for index, word in enumerate(command.words):
        text = word.raw if isinstance(word.text, Unknown) else word.text
        text = text.strip("\"'")
        if (before == "-m" and _MODULE.fullmatch(text)) or (
            index <= _LAST_SCRIPT and _SCRIPT.fullmatch(text)
        ):
            return text, command.words[index + 1 :]
        if text.startswith("--"):
            return None
        before = text
    return None


@cache
def nargs() -> dict[str, Nargs]:
    """Return how many words each known flag takes, by key without dashes."""
    path = Path(__file__).parent / "data" / "flags.json"
    table: dict[str, list[str]] = json.loads(path.read_bytes())
    return {flag: Nargs(kind) for kind, flags in table.items() for flag in flags}


def read(paste: Paste, command: Command) -> Launch:
    """Read the flags in the order of the command line; the last of equal ones counts."""
    found = _entry(command)
    entry, rest = found if found is not None else ("", ())
    arguments = read_flags(rest, nargs())
    notes = tuple(
        Note("ignored-word", f"{word.raw} belongs to no flag and is not read", word.location)
        for word in arguments.positionals
        if isinstance(word.text, str) and word.text
    )
    missing = any(note.kind == "source-file-missing" and "entrypoint" in note.message for note in paste.notes)
    if missing:
        notes += (Note(ENTRYPOINT_MISSING, "the entrypoint is not here: what it exports is unknown"),)
    written = (*arguments.settings, *command.environment, *command.target)
    return Launch(
        framework=FRAMEWORK,
        entry_point=entry,
        config_path=_model_configuration(paste, arguments.settings),
        settings=arguments.settings,
        environment=command.environment,
        target=(*command.target, *_name(paste, command)),
        wrappers=command.wrappers,
        variant=command.variant,
        location=command.location,
        comments=tie_comments(paste.comments, written),
        notes=notes,
    )


def _name(paste: Paste, command: Command) -> Iterator[Setting]:
    """Yield the script's name when it was read from standard input under a name of its own."""
    if command.location is not None and command.location.path == STDIN != paste.path:
        yield Setting(SCRIPT, paste.path, SettingSource.FILE)


def _model_configuration(paste: Paste, settings: tuple[Setting, ...]) -> str:
    """Return the model configuration: where its sizes stand, or the sourced file that is missing."""
    for setting in settings:
        if setting.key == "num-layers" and setting.location is not None:
            return setting.location.path
    missing = (_MISSING.search(note.message) for note in paste.notes if note.kind == "source-file-missing")
    paths = [PurePosixPath(found[1]) for found in missing if found]
    return next((str(path) for path in paths if "model" in path.parent.name.lower()), "")

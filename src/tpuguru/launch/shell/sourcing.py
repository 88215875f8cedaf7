"""``source``: the named file is read, never run; a missing one degrades the reading and is noted."""

import os.path
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.outcome import SUCCESS, Outcome, Return
from tpuguru.launch.source import EmbeddedSource, Source, Traced

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell

# Relax's layout: entrypoint/local.sh exports MODEL_CONFIG_DIR as the folder «models» beside «entrypoint».
_ENTRYPOINT_FOLDER = "entrypoint"
_MODEL_FOLDER = "MODEL_CONFIG_DIR"
# A script may source itself once or twice behind a guard; deeper it never ends, and doubles with each line.
_MOST_INSIDE_ITSELF = 3


def find_file(shell: "Shell", path: str) -> Source | None:
    """Return a file that the script names: one it wrote itself, or one in the project of the paste."""
    written = shell.context.written.get(path)
    if written is not None:
        return EmbeddedSource(written, path)
    return shell.context.files.find(path, shell.directory)


def follow_file(shell: "Shell", word: Traced, arguments: list[Traced], location: Location | None) -> Outcome:
    """Follow a sourced file in the same shell."""
    path = word.text
    if isinstance(path, Unknown):
        shell.context.note(
            "source-file-missing",
            f"which file «source {word.shown}» reads is not known: {path.reason}",
            location,
        )
        return SUCCESS
    source = find_file(shell, path)
    if source is None:
        _missing(shell, path, location)
        return SUCCESS
    if shell.files.count(source.path) > _MOST_INSIDE_ITSELF:
        shell.context.note("nested-too-deep", f"{source.path} sources itself without end", location)
        return SUCCESS
    if not shell.enter():
        return SUCCESS
    outer = shell.scope.positionals
    if arguments:
        shell.scope.positionals = arguments
    shell.files.insert(0, source.path)
    try:
        shell.follow(source)
    except Return:
        pass
    except UsageError as error:
        shell.context.note("reading-stopped", error.message, location)
    finally:
        shell.files.pop(0)
        shell.scope.positionals = outer
        shell.leave()
    return SUCCESS


def _missing(shell: "Shell", path: str, location: Location | None) -> None:
    shown = os.path.normpath(path)
    shell.context.note(
        "source-file-missing",
        f"the sourced file {shown} is not here: what it sets is unknown",
        location,
    )
    folder = os.path.dirname(shown)  # noqa: PTH120 - texts of the paste, not our own files
    if os.path.basename(folder) == _ENTRYPOINT_FOLDER and not shell.is_set(_MODEL_FOLDER):  # noqa: PTH119
        models = os.path.join(os.path.dirname(folder), "models")  # noqa: PTH118, PTH120
        value = shell.made(models, shell.source, 0, 0, filled_in=True)
        shell.scope.set_text(_MODEL_FOLDER, value, location)
        shell.context.note(
            "filled-in",
            f"{_MODEL_FOLDER} was taken to be {models}, as the scripts' own layout has it",
            location,
        )

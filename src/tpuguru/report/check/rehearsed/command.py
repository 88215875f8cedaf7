"""Which command of a paste is rehearsed, word by word, and what was changed or left out to run it here."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.registry import launches
from tpuguru.launch.comments import tie_comments
from tpuguru.launch.model import Command, Launch, Paste
from tpuguru.report.check.choose import choose_launch, described

_PYTHON = re.compile(r"(?:.*/)?python(?:3(?:\.\d+)?)?")
_LAUNCHERS = frozenset(("torchrun", "accelerate"))
_NO_PROGRAMS = frozenset(("pip", "venv", "ensurepip", "http.server", "pytest", "compileall"))
# What a script has that asks for a TPU, in all likelihood.
_ASKS = re.compile(
    rb"(?m)^\s*(?:import\s+(?:[\w.]+\s*,\s*)*|from\s+)(?:jax|flax|optax|equinox|haiku|torch_tpu)\b"
    rb"|device=[\"']tpu[\"':]"
)
_BARE_SCRIPT = re.compile(r"train(?:_compile)?\.py")
_MOST_SCRIPT_BYTES = 1_000_000
# The virtual slice sets these itself.
_OURS = re.compile(r"TPUGURU_|TPU_LIBRARY_PATH$|TPU_SKIP_MDS_QUERY$|TPU_WORKER_|TPU_ACCELERATOR_TYPE$")


# What a script takes from the machine that it runs on, which here is this one. None of them is a secret.
_MACHINE = ("HOME", "PATH", "USER", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "TMPDIR")


def machine_variables() -> dict[str, str]:
    """Return the variables of this machine that a rehearsed script may use; one that is not set is empty."""
    return {name: os.environ.get(name, "") for name in _MACHINE} | {"PWD": str(Path.cwd())}


@dataclass(slots=True)
class Rehearsable:
    """A command that can be run as it stands, and the launch that says where its words were written."""

    words: tuple[str, ...]
    environment: dict[str, str]
    launch: Launch
    notes: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def rehearsable(paste: Paste, variant: str, folder: Path) -> Rehearsable:
    """Return the launch of a framework that tpuguru knows, else the first command that runs a program.

    NothingToCheckError when there is none; UsageError when the launch is for GPUs, or a word of the command
    is known only when the script runs.
    """
    known = [launch for launch in launches(paste) if not _is_plain(launch, folder)]
    if known:
        launch, others = choose_launch(known, variant)
        found = _of_launch(paste, launch)
        found.others += [described(other) for other in others]
        return found
    commands = [command for command in paste.commands if _runs_a_program(command)]
    if not commands:
        raise NothingToCheckError(
            f"{paste.path} holds no command that runs a Python program",
            help="paste the command that starts the training: python train.py …",
        )
    found = _of_command(commands[0], _plain_launch(paste, commands[0]))
    found.others += [" ".join(_texts(command))[:80] for command in commands[1:]]
    return found


def is_program_of_ours(paste: Paste, folder: Path) -> bool:
    """Tell whether a paste of no known framework starts a JAX or TorchTPU program that is in ``folder``."""
    if any(not _is_plain(launch, folder) for launch in launches(paste)):
        return False
    return any(_asks_for_a_tpu(command, folder) for command in paste.commands if _runs_a_program(command))


def _of_launch(paste: Paste, launch: Launch) -> Rehearsable:
    if launch.framework == "relax":
        raise UsageError(
            "a Relax launch runs on GPUs, and only TPUs can be virtual: it cannot be rehearsed",
            location=launch.location,
            help=f"tpuguru lint {paste.path} judges it by its settings",
        )
    command = next((each for each in paste.commands if each.location == launch.location), None)
    if command is None or not command.words:
        raise UsageError(
            "the paste has the settings of a launch and not the command that starts it",
            location=launch.location,
            help="paste the command line to rehearse it",
        )
    return _of_command(command, launch)


def _of_command(command: Command, launch: Launch) -> Rehearsable:
    words: list[str] = []
    for word in command.words:
        if isinstance(word.text, Unknown):
            raise UsageError(
                f"{word.raw} is known only when the script runs: {word.text.reason}",
                location=word.location,
                help="paste the command with this word written out",
            )
        words.append(word.text)
    found = Rehearsable(tuple(words), {}, launch)
    _take_environment(command, found)
    if command.wrappers:
        found.notes.append(f"left out around the command: {', '.join(command.wrappers)}")
    return found


def _take_environment(command: Command, found: Rehearsable) -> None:
    for setting in command.environment:
        if isinstance(setting.text, Unknown):
            found.notes.append(f"{setting.key} left out: {setting.text.reason}")
        elif _OURS.match(setting.key):
            found.notes.append(f"{setting.key} left out: the virtual slice sets it")
        else:
            found.environment[setting.key] = setting.text


def _plain_launch(paste: Paste, command: Command) -> Launch:
    """Return a launch with no settings: what the words of an unknown program mean is its own affair."""
    written = (*command.environment, *command.target)
    return Launch(
        framework="jax",
        entry_point=_entry_point(command),
        settings=(),
        environment=command.environment,
        target=command.target,
        wrappers=command.wrappers,
        variant=command.variant,
        location=command.location,
        comments=tie_comments(paste.comments, written),
        notes=paste.notes,
    )


def _entry_point(command: Command) -> str:
    texts = list(_texts(command))
    if "-m" in texts[:-1]:
        return texts[texts.index("-m") + 1]
    return next((text for text in texts if text.endswith(".py")), texts[0])


def _texts(command: Command) -> Iterator[str]:
    return (word.text if isinstance(word.text, str) else word.raw for word in command.words)


def _runs_a_program(command: Command) -> bool:
    if not command.words or not isinstance(command.words[0].text, str):
        return False
    first = command.words[0].text
    if Path(first).name in _LAUNCHERS or first.endswith(".py"):
        return True
    return bool(_PYTHON.fullmatch(first)) and not _NO_PROGRAMS & set(_texts(command))


def _is_plain(launch: Launch, folder: Path) -> bool:
    """Tell whether what looks like MaxText's train.py is another program's script of that name."""
    script = folder / launch.entry_point
    if not _BARE_SCRIPT.fullmatch(launch.entry_point) or not script.is_file():
        return False
    return b"maxtext" not in _head(script).lower()


def _asks_for_a_tpu(command: Command, folder: Path) -> bool:
    scripts = (folder / text for text in _texts(command) if text.endswith(".py"))
    script = next((path for path in scripts if path.is_file()), None)
    return script is not None and bool(_ASKS.search(_head(script)))


def _head(script: Path) -> bytes:
    with script.open("rb") as file:
        return file.read(_MOST_SCRIPT_BYTES)

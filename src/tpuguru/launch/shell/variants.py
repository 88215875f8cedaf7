"""Mode switches: a script that launches differently by the value of a variable is read once per value."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from tpuguru.launch.context import Context
from tpuguru.launch.model import Command
from tpuguru.launch.shell.interpreter import Shell
from tpuguru.launch.shell.outcome import Choice, Loop, Return, Stop
from tpuguru.launch.shell.state import Scope
from tpuguru.launch.source import Source

_MOST_VARIANTS = 8
# Switching one feature makes no other launch, unless it submits from another place of the script.
_TOGGLES = frozenset(("0", "1", "true", "false", "yes", "no", "on", "off", "y", "n", "none", "null"))

type Fingerprint = tuple[object, ...]


def read_variants(
    source: Source, context_for: Callable[[Mapping[str, str]], Context]
) -> tuple[Context, list[Command]]:
    """Follow the script with every default, then once per value that a branch asks for.

    Returns the context of the default reading and the commands of all of them: a variant adds the commands
    that the default reading does not have, and carries ``NAME=value``.
    """
    context = _follow(source, context_for({}))
    commands = [] if context.stops_by_default and context.choices else list(context.commands)
    default = {_fingerprint(command) for command in context.commands}
    labels: dict[Fingerprint, str] = {}
    for choice in _unique(context.choices)[:_MOST_VARIANTS]:
        if time.monotonic() > context.deadline:
            break
        other = _follow(source, context_for({choice.name: choice.value}))
        seen = {_fingerprint(command) for command in other.commands}
        added = [command for command in other.commands if _fingerprint(command) not in default]
        if choice.value.lower() in _TOGGLES:
            places = {command.location for command in context.commands}
            added = [command for command in added if command.location not in places]
        if not added:
            continue
        for fingerprint in default - seen:
            labels.setdefault(
                fingerprint, f"{_shown(choice.name)}={choice.default}" if choice.default else "default"
            )
        label = f"{_shown(choice.name)}={choice.value}"
        commands.extend(replace(command, variant=label) for command in added)
        context.note(
            "variant", f"with {label} the script runs other commands; they are read as a variant of their own"
        )
    return context, [
        replace(command, variant=command.variant or labels.get(_fingerprint(command), ""))
        for command in commands
    ]


def _follow(source: Source, context: Context) -> Context:
    shell = Shell(context, source, Scope())
    with suppress(Stop, Return, Loop):
        shell.follow(source)
    return context


def _unique(choices: list[Choice]) -> list[Choice]:
    return list({(choice.name, choice.value): choice for choice in choices}.values())


def _shown(name: str) -> str:
    return f"${name}" if name.isdigit() else name


def _fingerprint(command: Command) -> Fingerprint:
    return (
        command.location,
        tuple(str(word.text) for word in command.words),
        tuple((setting.key, str(setting.text)) for setting in command.environment),
    )

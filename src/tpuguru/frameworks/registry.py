"""Which frameworks a paste launches."""

from dataclasses import replace

from tpuguru.base.errors import NothingToCheckError
from tpuguru.frameworks.interface import Framework, all_frameworks
from tpuguru.launch.model import Command, Launch, Paste


def launches(paste: Paste) -> list[Launch]:
    """Return every launch of the paste, variants included, in the order of their commands; none is ``[]``."""
    if paste.launches:
        return list(paste.launches)
    frameworks = list(all_frameworks())
    found: list[Launch] = []
    for command in paste.commands:
        framework = next((each for each in frameworks if each.recognises(command)), None)
        if framework is not None:
            found.append(_read(framework, paste, command))
    return found


def _read(framework: Framework, paste: Paste, command: Command) -> Launch:
    launch = framework.read(paste, command)
    return replace(launch, variant=launch.variant or command.variant)


def require_launches(paste: Paste) -> list[Launch]:
    """Return the launches. NothingToCheckError, with one sentence, when there is none."""
    found = launches(paste)
    if found:
        return found
    names = " or ".join(sorted(framework.name for framework in all_frameworks()))
    if not paste.text.strip():
        raise NothingToCheckError(f"{paste.path} is empty: there is no launch to check")
    programs = ", ".join(dict.fromkeys(_program(command) for command in paste.commands if command.words))
    seen = f"the commands in it start {programs[:120]}" if programs else "no command was found in it"
    raise NothingToCheckError(
        f"{paste.path} holds no launch of {names}: {seen}",
        help="paste the command or script that starts the training, or the manifest around it",
    )


def _program(command: Command) -> str:
    text = command.words[0].text
    return text.rsplit("/", 1)[-1] if isinstance(text, str) else "a program that is not known"

"""Taking wrappers off one by one, following the shells among them, until a plain command is left."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.launch.model import Command, Setting, SettingSource, Word
from tpuguru.launch.shell.outcome import Loop, Return, Stop
from tpuguru.launch.shell.state import Scope, Variable
from tpuguru.launch.source import EmbeddedSource, Source, Traced
from tpuguru.launch.wrappers.containers import unwrap_container
from tpuguru.launch.wrappers.invocation import Exported, Invocation
from tpuguru.launch.wrappers.prefixes import unwrap_prefix
from tpuguru.launch.wrappers.submitters import submitted_script, unwrap_submitter

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell
    from tpuguru.launch.shell.simple import Prefix

_SHELLS = ("bash", "sh", "zsh", "dash", "ash")
_MOST_WRAPPERS = 30


def hand_on(shell: "Shell", words: list[Traced], prefix: "Prefix", location: Location | None) -> None:
    """Take a command from a script: with the variables it would see, through its wrappers."""
    environment = [Exported(name, value, place) for name, value, place in shell.scope.exported()]
    environment += [Exported(name, value, place) for name, value, place in prefix]
    unwrap(
        Invocation(
            context=shell.context,
            words=tuple(words),
            environment=tuple(environment),
            location=location,
            stdin=shell.stdin,
            shell=shell,
        )
    )


def unwrap(invocation: Invocation) -> None:
    """Follow a command to what it really runs; the commands found go to the context."""
    for _ in range(_MOST_WRAPPERS):
        script = submitted_script(invocation)
        if script is not None:
            _follow_text(*script)
            return
        if invocation.program in _SHELLS and _follow_shell(invocation):
            return
        if invocation.program == "kubectl" and _follow_manifest(invocation):
            return
        inner = unwrap_prefix(invocation) or unwrap_container(invocation) or unwrap_submitter(invocation)
        if inner is None:
            break
        invocation = inner
    _keep(invocation)


def _keep(invocation: Invocation) -> None:
    words = tuple(
        Word(text=word.text, location=_place(word, invocation), raw=word.raw or word.shown, trace=word)
        for word in invocation.words
    )
    invocation.context.commands.append(
        Command(
            words=words,
            environment=environment_settings(invocation.environment),
            location=words[0].location if words else invocation.location,
            wrappers=invocation.wrappers,
            target=invocation.target,
        )
    )


def _place(word: Traced, invocation: Invocation) -> Location:
    return word.site or word.location() or invocation.location or Location("", 1)


def environment_settings(variables: tuple[Exported, ...]) -> tuple[Setting, ...]:
    """Return the variables as settings; of two with one name the later wins, as in a shell."""
    last = {variable.name: variable for variable in variables}
    return tuple(
        Setting(
            key=variable.name,
            text=variable.value.text,
            source=SettingSource.FILLED_IN if variable.value.filled_in else variable.source,
            location=variable.location,
            raw=f"{variable.name}={variable.value.shown}",
            overridden_by=None if last[variable.name] is variable else last[variable.name].location,
            value_location=variable.value.location() if variable.value.pieces else None,
            trace=variable.value,
        )
        for variable in variables
    )


# Shells inside


def _follow_shell(invocation: Invocation) -> bool:
    """Follow ``bash -c TEXT``, ``bash FILE …`` and ``bash <<EOF``; False when none of these can be read."""
    index = 1
    command_option = False
    while (text := invocation.text(index))[:1] in ("-", "+") and len(text) > 1:
        if not text.startswith("--") and "c" in text[1:]:
            command_option = True
        index += 2 if text in ("-o", "+o", "-O", "--rcfile", "--init-file") else 1
    if command_option:
        if index >= len(invocation.words):
            return False
        inner = replace(invocation, wrappers=(*invocation.wrappers, f"{invocation.program} -c"), words=())
        _follow_text(inner, invocation.words[index], list(invocation.words[index + 2 :]))
        return True
    if index < len(invocation.words) and invocation.text(index) != "-s":
        return _follow_script_file(invocation, index)
    if invocation.stdin is not None and invocation.stdin.pieces:
        _follow_text(
            replace(invocation, words=(), wrappers=(*invocation.wrappers, invocation.program)),
            invocation.stdin,
        )
        return True
    return False


def _follow_script_file(invocation: Invocation, index: int) -> bool:
    from tpuguru.launch.shell.sourcing import find_file  # noqa: PLC0415 - shells and wrappers need each other

    if invocation.shell is None or not invocation.text(index):
        return False
    source = find_file(invocation.shell, invocation.text(index))
    if source is None:
        return False
    inner = replace(
        invocation, wrappers=(*invocation.wrappers, f"{invocation.program} {source.path}"), words=()
    )
    _follow_source(inner, source, list(invocation.words[index + 1 :]))
    return True


def _follow_text(invocation: Invocation, text: Traced, arguments: list[Traced] | None = None) -> None:
    """Follow a text that a shell would read, with the environment of the invocation."""
    path = invocation.shell.source.path if invocation.shell is not None else ""
    _follow_source(invocation, EmbeddedSource(text, path), arguments or [])


def _follow_source(invocation: Invocation, source: Source, arguments: list[Traced]) -> None:
    from tpuguru.launch.shell.interpreter import Shell  # noqa: PLC0415 - shells and wrappers need each other

    context = invocation.context
    if not context.enter():
        return
    variables = {
        variable.name: Variable(variable.value, exported=True, location=variable.location)
        for variable in invocation.environment
    }
    directory = invocation.shell.directory if invocation.shell is not None else ""
    shell = Shell(context, source, Scope(variables, positionals=arguments), directory)
    before = len(context.commands)
    try:
        shell.follow(source)
    except (Stop, Return, Loop):
        pass
    except UsageError as error:
        context.note("reading-stopped", error.message, invocation.location)
    finally:
        context.leave()
    for index in range(before, len(context.commands)):
        command = context.commands[index]
        context.commands[index] = replace(
            command,
            wrappers=invocation.wrappers + command.wrappers,
            target=invocation.target + command.target,
        )


def _follow_manifest(invocation: Invocation) -> bool:
    """Follow ``kubectl apply -f -`` with a heredoc, or ``-f FILE`` when the file is in the project."""
    from tpuguru.launch.kubernetes import read_manifest  # noqa: PLC0415 - YAML only when there is some
    from tpuguru.launch.shell.sourcing import find_file  # noqa: PLC0415

    words = [invocation.text(index) for index in range(len(invocation.words))]
    if not {"apply", "create", "replace"} & set(words[1:3]):
        return False
    names = [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-f", "--filename")]
    names += [word.split("=", 1)[1] for word in words if word.startswith(("--filename=", "-f="))]
    followed = False
    for name in names:
        source: Source | None = None
        if name == "-" and invocation.stdin is not None:
            source = EmbeddedSource(invocation.stdin)
        elif invocation.shell is not None and name not in ("", "-"):
            source = find_file(invocation.shell, name)
        if source is not None:
            followed = read_manifest(invocation.context, source) or followed
    return followed

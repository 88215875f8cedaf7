"""The builtins and small tools whose effect or output follows from their words alone."""

import os.path
import re
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.conditions import Condition, Token
from tpuguru.launch.shell.outcome import FAILURE, SUCCESS, Loop, Outcome, Return, Stop
from tpuguru.launch.shell.printing import PRINTERS, Builtin, known, operands
from tpuguru.launch.shell.sourcing import follow_file
from tpuguru.launch.source import EmbeddedSource, Piece, Traced, join

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell


_NAME = re.compile(r"[A-Za-z_]\w*")


def _nothing(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del shell, words, location
    return SUCCESS


def _false(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del shell, words, location
    return FAILURE


def _asks_machine(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    shell.unknown_output = shell.captured is not None or shell.unknown_output
    return Outcome(ok=True, guess=f"{words[0].shown} asks the machine")


# What changes the shell


def _source(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    rest = operands(words)
    if not rest:
        return SUCCESS
    return follow_file(shell, rest[0], rest[1:], location)


def _cd(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    rest = operands(words)
    path = known(rest[0]) if rest else None
    if path is None or shell.directory is None or path == "-":
        shell.directory = None
    else:
        shell.directory = os.path.normpath(os.path.join(shell.directory, path))  # noqa: PTH118
    return SUCCESS


def _shift(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    count = known(words[1]) if len(words) > 1 else "1"
    if shell.scope.positionals is not None and count is not None and count.isascii() and count.isdigit():
        shell.scope.positionals = shell.scope.positionals[int(count[:6]) :]
    return SUCCESS


def _set(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    for index, word in enumerate(words[1:], start=1):
        text = known(word)
        if text == "--":
            shell.scope.positionals = words[index + 1 :]
            break
        if text is None or text[:1] not in ("-", "+"):
            break
        if "a" in text and text != "-o":
            shell.scope.export_all = text[0] == "-"
    return SUCCESS


def _exit(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del shell, words, location
    raise Stop


def _return(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del shell, words, location
    raise Return


def _break(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del shell, location
    raise Loop(again=words[0].text == "continue")


def _read(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    for word in operands(words):
        name = known(word)
        if name and _NAME.fullmatch(name) and location is not None:
            unknown = Unknown(f"{name} is read from the input of the script", "a run")
            piece = word.pieces[0]
            shell.scope.set_text(
                name, Traced((Piece(unknown, piece.source, piece.start, piece.end),)), location
            )
    return Outcome(ok=True, guess="read asks the input of the script")


def _eval(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    if len(words) < 2 or not words[1].pieces or not shell.enter():
        return SUCCESS
    first = words[1].pieces[0]
    text = join(words[1:], Piece(" ", first.source, first.start, first.start, verbatim=False))
    try:
        shell.follow(EmbeddedSource(text, shell.source.path))
    except UsageError as error:
        shell.context.note("reading-stopped", error.message, location)
    finally:
        shell.leave()
    return SUCCESS


def _let(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    value = 0
    for word in words[1:]:
        text = known(word)
        try:
            value = shell.compute(text) if text is not None else 1
        except NotComputableError as error:
            return Outcome(ok=True, guess=str(error))
    return Outcome(ok=value != 0)


def _test(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    tokens = [Token(0, 0, word.shown, word) for word in words[1:]]
    if words[0].text == "[" and tokens and tokens[-1].text == "]":
        tokens.pop()
    return Condition(shell, shell.source, tokens).evaluate()


_NO_EFFECT = (
    "true",
    ":",
    "trap",
    "wait",
    "ulimit",
    "umask",
    "shopt",
    "alias",
    "popd",
    "jobs",
    "disown",
    "sleep",
    "mkdir",
    "rm",
    "touch",
    "chmod",
)

BUILTINS: dict[str, Builtin] = {
    **PRINTERS,
    "source": _source,
    ".": _source,
    "cd": _cd,
    "pushd": _cd,
    "shift": _shift,
    "set": _set,
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _break,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "eval": _eval,
    "let": _let,
    "test": _test,
    "[": _test,
    "which": _asks_machine,
    "type": _asks_machine,
    "hash": _asks_machine,
    "getopts": _false,
    "false": _false,
    **dict.fromkeys(_NO_EFFECT, _nothing),
}

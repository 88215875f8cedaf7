"""The builtins and small tools whose effect or output follows from their words alone."""

import os.path
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.conditions import Condition, Token
from tpuguru.launch.shell.outcome import FAILURE, SUCCESS, Loop, Outcome, Return, Stop
from tpuguru.launch.shell.sourcing import follow_file
from tpuguru.launch.shell.state import MAXIMUM_WORDS
from tpuguru.launch.source import EmbeddedSource, Piece, Traced, join

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell

type Builtin = Callable[["Shell", list[Traced], Location | None], Outcome]

_NAME = re.compile(r"[A-Za-z_]\w*")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "e": "\x1b", "0": "\0", "a": "\a"}


def _operands(words: list[Traced]) -> list[Traced]:
    """Return the words after the options."""
    rest = words[1:]
    while rest and isinstance(rest[0].text, str) and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        option = rest.pop(0)
        if option.text == "--":
            break
    return rest


def _known(word: Traced) -> str | None:
    return word.text if isinstance(word.text, str) else None


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
    operands = _operands(words)
    if not operands:
        return SUCCESS
    return follow_file(shell, operands[0], operands[1:], location)


def _cd(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    operands = _operands(words)
    path = _known(operands[0]) if operands else None
    if path is None or shell.directory is None or path == "-":
        shell.directory = None
    else:
        shell.directory = os.path.normpath(os.path.join(shell.directory, path))  # noqa: PTH118
    return SUCCESS


def _shift(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    count = _known(words[1]) if len(words) > 1 else "1"
    if shell.scope.positionals is not None and count is not None and count.isascii() and count.isdigit():
        shell.scope.positionals = shell.scope.positionals[int(count[:6]) :]
    return SUCCESS


def _set(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    for index, word in enumerate(words[1:], start=1):
        text = _known(word)
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
    for word in _operands(words):
        name = _known(word)
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
        text = _known(word)
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


# What prints


def _echo(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del location
    rest = words[1:]
    newline = True
    while rest and rest[0].text in ("-n", "-e", "-E", "-ne", "-en"):
        newline = newline and "n" not in str(rest.pop(0).text)
    _print_words(shell, rest, "\n" if newline else "")
    return SUCCESS


def _print_words(shell: "Shell", words: list[Traced], ending: str) -> None:
    space = Piece(" ", shell.source, 0, 0, verbatim=False)
    end = Traced((Piece(ending, shell.source, 0, 0, verbatim=False),)) if ending else Traced()
    shell.print(join((join(words, space), end)))


def _printf(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    rest = words[1:]
    target = None
    if rest and rest[0].text == "-v" and len(rest) > 1:
        target = _known(rest[1])
        rest = rest[2:]
    if rest and rest[0].text == "--":
        rest = rest[1:]
    if not rest:
        return SUCCESS
    value = _formatted(shell, rest[0], rest[1:])
    if target is not None and _NAME.fullmatch(target):
        shell.assign(target, value, location)
    else:
        shell.print(value)
    return SUCCESS


def _formatted(shell: "Shell", pattern: Traced, arguments: list[Traced]) -> Traced:
    texts = [argument.text for argument in arguments]
    assumes = frozenset[str]().union(*(word.assumes for word in (pattern, *arguments)))
    unknown = next((text for text in (pattern.text, *texts) if isinstance(text, Unknown)), None)
    result: str | Unknown
    if unknown is not None:
        result = unknown
    else:
        result = _printf_text(str(pattern.text), [str(text) for text in texts])
    start = pattern.pieces[0].start if pattern.pieces else 0
    source = pattern.pieces[0].source if pattern.pieces else shell.source
    return Traced((Piece(result, source, start, start, verbatim=False),), assumes)


def _printf_text(pattern: str, arguments: list[str]) -> str:
    """Format as printf does: the pattern is used again while arguments are left."""
    pattern = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group()), pattern)
    result = ""
    remaining = list(arguments)
    while len(result) < MAXIMUM_WORDS:
        before = len(remaining)

        def one(match: re.Match[str]) -> str:
            if match.group(1) == "%":
                return "%"
            value = remaining.pop(0) if remaining else ""
            width = match.group(0)[1:-1]
            if match.group(1) == "d" and re.fullmatch(r"0?\d{1,2}", width) and value.isdigit():
                return value.rjust(int(width), "0" if width[0] == "0" else " ")
            return value

        result += re.sub(r"%[-0-9.]*([sdqbifu%])", one, pattern)
        if not remaining or len(remaining) == before:
            return result
    return result


def _pwd(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    del words, location
    if shell.directory is None:
        shell.unknown_output = shell.captured is not None or shell.unknown_output
    else:
        shell.print(shell.made(shell.directory or ".", shell.source, 0, 0))
    return SUCCESS


def _folder(path: str) -> str:
    return os.path.dirname(path.rstrip("/")) or ("/" if path[:1] == "/" else ".")  # noqa: PTH120 - a text


def _path_tool(transform: Callable[[str], str]) -> Builtin:
    def follow(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
        del location
        operands = _operands(words)
        path = _known(operands[0]) if operands else None
        if path is None:
            shell.unknown_output = shell.captured is not None or shell.unknown_output
        else:
            suffix = (_known(operands[1]) or "") if len(operands) > 1 and words[0].text == "basename" else ""
            text = transform(path)
            text = text[: -len(suffix)] if suffix and text.endswith(suffix) else text
            shell.print(shell.made(text, shell.source, 0, 0))
        return SUCCESS

    return follow


def _seq(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    """Follow ``seq [-s SEP] [FIRST [STEP]] LAST`` over integers."""
    rest = [_known(word) for word in words[1:]]
    separator = "\n"
    option = rest[0] if rest else None
    if option == "-s" and len(rest) > 1:
        separator, rest = rest[1] or separator, rest[2:]
    elif option is not None and option.startswith("-s"):
        separator, rest = option[2:], rest[1:]
    numbers = [int(text) for text in rest if text is not None and re.fullmatch(r"-?\d{1,12}", text)]
    if len(numbers) != len(rest) or not 1 <= len(numbers) <= 3:
        shell.unknown_output = shell.captured is not None or shell.unknown_output
        return SUCCESS
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    values = range(first, numbers[-1] + (1 if step > 0 else -1), step) if step else range(0)
    if len(values) > MAXIMUM_WORDS:
        shell.context.note("reading-stopped", f"seq gives more than {MAXIMUM_WORDS} numbers", location)
        shell.unknown_output = shell.captured is not None or shell.unknown_output
        return SUCCESS
    shell.print(shell.made(separator.join(map(str, values)), shell.source, 0, 0))
    return SUCCESS


def _cat(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    """``cat`` hands on a heredoc; a file's text is not read into words."""
    del location
    operands = _operands(words)
    written = _known(operands[0]) if len(operands) == 1 else None
    if (not operands or written == "-") and shell.stdin is not None:
        shell.print(shell.stdin)
    elif written in shell.context.written:
        shell.print(shell.context.written[str(written)])
    else:
        shell.unknown_output = shell.captured is not None or shell.unknown_output
    return SUCCESS


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
    "echo": _echo,
    "printf": _printf,
    "pwd": _pwd,
    "dirname": _path_tool(_folder),
    "basename": _path_tool(lambda path: os.path.basename(path.rstrip("/"))),  # noqa: PTH119
    "realpath": _path_tool(os.path.normpath),
    "readlink": _path_tool(os.path.normpath),
    "seq": _seq,
    "cat": _cat,
    "which": _asks_machine,
    "type": _asks_machine,
    "hash": _asks_machine,
    "getopts": _false,
    "false": _false,
    **dict.fromkeys(_NO_EFFECT, _nothing),
}

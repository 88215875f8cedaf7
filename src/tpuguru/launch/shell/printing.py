"""The tools that print what follows from their words: echo, printf, seq, dirname, pwd, cat."""

import os.path
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.outcome import SUCCESS, Outcome
from tpuguru.launch.shell.state import MAXIMUM_WORDS
from tpuguru.launch.source import Piece, Traced, join

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell

type Builtin = Callable[["Shell", list[Traced], Location | None], Outcome]

_NAME = re.compile(r"[A-Za-z_]\w*")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "e": "\x1b", "0": "\0", "a": "\a"}


def operands(words: list[Traced]) -> list[Traced]:
    """Return the words after the options."""
    rest = words[1:]
    while rest and isinstance(rest[0].text, str) and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        option = rest.pop(0)
        if option.text == "--":
            break
    return rest


def known(word: Traced) -> str | None:
    """Return a word's text when it is known."""
    return word.text if isinstance(word.text, str) else None


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
        target = known(rest[1])
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
        rest = operands(words)
        path = known(rest[0]) if rest else None
        if path is None:
            shell.unknown_output = shell.captured is not None or shell.unknown_output
        else:
            suffix = (known(rest[1]) or "") if len(rest) > 1 and words[0].text == "basename" else ""
            text = transform(path)
            text = text[: -len(suffix)] if suffix and text.endswith(suffix) else text
            shell.print(shell.made(text, shell.source, 0, 0))
        return SUCCESS

    return follow


def _seq(shell: "Shell", words: list[Traced], location: Location | None) -> Outcome:
    """Follow ``seq [-s SEP] [FIRST [STEP]] LAST`` over integers."""
    rest = [known(word) for word in words[1:]]
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
    rest = operands(words)
    written = known(rest[0]) if len(rest) == 1 else None
    if (not rest or written == "-") and shell.stdin is not None:
        shell.print(shell.stdin)
    elif written in shell.context.written:
        shell.print(shell.context.written[str(written)])
    else:
        shell.unknown_output = shell.captured is not None or shell.unknown_output
    return SUCCESS


PRINTERS: dict[str, Builtin] = {
    "echo": _echo,
    "printf": _printf,
    "pwd": _pwd,
    "dirname": _path_tool(_folder),
    "basename": _path_tool(lambda path: os.path.basename(path.rstrip("/"))),  # noqa: PTH119
    "realpath": _path_tool(os.path.normpath),
    "readlink": _path_tool(os.path.normpath),
    "seq": _seq,
    "cat": _cat,
}

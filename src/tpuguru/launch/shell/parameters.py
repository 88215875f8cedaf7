"""``${…}``: every operator of bash's parameter expansion."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.fields import Fragment, Kind
from tpuguru.launch.shell.patterns import Pattern
from tpuguru.launch.shell.words import Expander
from tpuguru.launch.source import Piece, Traced

if TYPE_CHECKING:
    from collections.abc import Callable

_BODY = re.compile(r"(?P<mark>[!#]?)(?P<name>[A-Za-z_]\w*|[0-9]+|[@*#?$!\-])(?P<subscript>\[)?")
_OPERATOR = re.compile(r":[-=?+]|[-=?+]|##?|%%?|//?|\^\^?|,,?|:|@")
_LONGEST_GLOBBED = 512  # matching a glob at every position is quadratic


class _Parameter:
    """A parsed ``${…}``: name, subscript, operator and where its operand stands."""

    def __init__(self, expander: Expander, whole: int, start: int, end: int) -> None:
        text = expander.source.text
        self.whole, self.end = whole, end
        self.mark = self.name = self.operator = ""
        self.subscript: tuple[int, int] | None = None
        match = _BODY.match(text, start, end)
        if (
            match is not None
            and match.group("mark") == "#"
            and match.end() < end
            and not match.group("subscript")
        ):
            match = (
                match
                if text[match.end()] in "}["
                else re.compile("(?P<mark>)(?P<name>#)(?P<subscript>\\[)?").match(text, start, end)
            )
        if match is None:
            self.operand = end
            return
        self.mark, self.name = match.group("mark"), match.group("name")
        position = match.end()
        if match.group("subscript"):
            close = text.find("]", position, end)
            close = end if close < 0 else close
            self.subscript = (position, close)
            position = close + 1
        operator = _OPERATOR.match(text, position, end)
        self.operator = operator.group() if operator else ""
        self.operand = operator.end() if operator else position

    def subscript_text(self, expander: Expander) -> str:
        if self.subscript is None:
            return ""
        return expander.source.text[self.subscript[0] : self.subscript[1]]


def expand_braced(expander: Expander, whole: int, start: int, end: int, *, quoted: bool) -> list[Fragment]:
    """Return the fragments of the ``${…}`` that begins at ``whole``; its body is ``start`` to ``end``."""
    if not expander.shell.enter():
        return [_unknown(expander, whole, end, "is nested too deep")]
    try:
        return _expand(expander, _Parameter(expander, whole, start, end), quoted=quoted)
    finally:
        expander.shell.leave()


def _expand(expander: Expander, parameter: _Parameter, *, quoted: bool) -> list[Fragment]:
    subscript = parameter.subscript_text(expander)
    if not parameter.name:
        return [_unknown(expander, parameter.whole, parameter.end, "is no parameter")]
    if parameter.mark == "#":
        return _length(expander, parameter, subscript)
    if parameter.mark == "!":
        return _indirect(expander, parameter, subscript, quoted=quoted)
    if subscript in ("@", "*") or parameter.name in ("@", "*"):
        return _expand_list(expander, parameter, subscript or parameter.name, quoted=quoted)
    return _expand_text(expander, parameter, _lookup(expander, parameter, subscript), quoted=quoted)


def _expand_text(
    expander: Expander, parameter: _Parameter, value: Traced | None, *, quoted: bool
) -> list[Fragment]:
    if parameter.operator in _CONDITIONAL:
        return _conditional(expander, parameter, value, quoted=quoted)
    if value is not None:
        return _fragments(_transform(expander, parameter, value), quoted=quoted)
    if parameter.name in expander.shell.scope.variables:  # an array without that element
        return []
    return _fragments(expander.value(parameter.name, parameter.whole, parameter.end + 1), quoted=quoted)


def _lookup(expander: Expander, parameter: _Parameter, subscript: str) -> Traced | None:
    if parameter.subscript is None:
        return expander.lookup(parameter.name, parameter.whole, parameter.end + 1)
    index = expander.shell.index(parameter.name, expander.source, *parameter.subscript)
    if subscript == "0" and (value := expander.lookup(parameter.name, parameter.whole, parameter.end + 1)):
        return value
    return expander.shell.element(parameter.name, index)


def _fragments(value: Traced | None, *, quoted: bool) -> list[Fragment]:
    if value is None:
        return []
    kind = Kind.QUOTED if quoted else Kind.SPLIT
    found = [Fragment(kind, piece) for piece in value.pieces]
    if quoted and not found:
        found = [Fragment(Kind.QUOTED, None)]
    return found


def _unknown(expander: Expander, whole: int, end: int, reason: str) -> Fragment:
    shown = expander.source.text[whole : end + 1][:60]
    piece = Piece(
        Unknown(f"{shown} {reason}"), expander.source, whole, min(end + 1, len(expander.source.text))
    )
    return Fragment(Kind.QUOTED, piece)


def _text_fragment(expander: Expander, parameter: _Parameter, text: str, *, quoted: bool) -> Fragment:
    piece = Piece(text, expander.source, parameter.whole, parameter.end + 1, verbatim=False)
    return Fragment(Kind.QUOTED if quoted else Kind.SPLIT, piece)


def _length(expander: Expander, parameter: _Parameter, subscript: str) -> list[Fragment]:
    if subscript in ("@", "*"):
        size = len(expander.shell.scope.elements(parameter.name))
    elif parameter.name in ("@", "*"):
        size = len(expander.shell.positionals(expander))
    else:
        value = _lookup(expander, parameter, subscript)
        if value is not None and isinstance(value.text, Unknown):
            return _fragments(value, quoted=True)
        if value is None:
            expander.assumes.add(parameter.name)
        size = len(str(value.text)) if value is not None else 0
    return [_text_fragment(expander, parameter, str(size), quoted=True)]


def _indirect(expander: Expander, parameter: _Parameter, subscript: str, *, quoted: bool) -> list[Fragment]:
    if subscript in ("@", "*"):
        variable = expander.shell.scope.variables.get(parameter.name)
        keys = list(variable.value) if variable and isinstance(variable.value, dict) else []
        pieces = [
            Traced((Piece(str(key), expander.source, parameter.whole, parameter.end, verbatim=False),))
            for key in keys
        ]
        return expander.list_fragments(pieces, quoted=quoted, joined=subscript == "*")
    name = _lookup(expander, parameter, subscript)
    if name is None or isinstance(name.text, Unknown) or not re.fullmatch(r"[A-Za-z_]\w*", name.text):
        return [_unknown(expander, parameter.whole, parameter.end, "names a variable that is not known")]
    value = expander.lookup(name.text, parameter.whole, parameter.end + 1)
    if parameter.operator in _CONDITIONAL:
        return _conditional(expander, parameter, value, quoted=quoted)
    return _fragments(
        value if value is not None else expander.value(name.text, parameter.whole, parameter.end),
        quoted=quoted,
    )


def _expand_list(expander: Expander, parameter: _Parameter, which: str, *, quoted: bool) -> list[Fragment]:
    if parameter.name in ("@", "*"):
        elements = expander.shell.positionals(expander)
    else:
        elements = expander.shell.scope.elements(parameter.name)
    if parameter.operator in ("+", ":+"):
        return _operand(expander, parameter, quoted=quoted) if elements else []
    if parameter.operator in ("-", ":-") and not elements:
        return _operand(expander, parameter, quoted=quoted)
    if parameter.operator == ":":
        elements = _slice_list(expander, parameter, elements)
    elif parameter.operator and parameter.operator not in _CONDITIONAL:
        elements = [_transform(expander, parameter, element) for element in elements]
    return expander.list_fragments(elements, quoted=quoted, joined=which == "*")


def _slice_list(expander: Expander, parameter: _Parameter, elements: list[Traced]) -> list[Traced]:
    bounds = _bounds(expander, parameter)
    if bounds is None:
        return elements
    offset, length = bounds
    if parameter.name in ("@", "*") and offset > 0:
        offset -= 1
    start = max(len(elements) + offset, 0) if offset < 0 else offset
    return elements[start:] if length is None else elements[start : start + max(length, 0)]


def _bounds(expander: Expander, parameter: _Parameter) -> tuple[int, int | None] | None:
    text = expander.quoted_text(parameter.operand, parameter.end).text
    if isinstance(text, Unknown):
        return None
    first, separator, second = text.partition(":")
    try:
        offset = expander.shell.compute(first)
        return offset, (expander.shell.compute(second) if separator else None)
    except NotComputableError:
        return None


# ${V:-d} and its kin

_CONDITIONAL = {":-", "-", ":=", "=", ":?", "?", ":+", "+"}


def _conditional(
    expander: Expander, parameter: _Parameter, value: Traced | None, *, quoted: bool
) -> list[Fragment]:
    operator = parameter.operator
    missing = value is None or (operator[0] == ":" and value.text == "")
    if missing:
        expander.assumes.add(parameter.name)
    if operator[-1] == "+":
        return [] if missing else _operand(expander, parameter, quoted=quoted)
    if not missing:
        return _fragments(value, quoted=quoted)
    if operator[-1] == "?":
        reason = f"variable {parameter.name} must come from the environment"
        piece = Piece(
            Unknown(reason, f"the value of {parameter.name}"),
            expander.source,
            parameter.whole,
            parameter.end + 1,
        )
        return [Fragment(Kind.QUOTED, piece)]
    fragments = _operand(expander, parameter, quoted=quoted)
    if operator[-1] == "=":
        pieces = tuple(fragment.piece for fragment in fragments if fragment.piece is not None)
        location = expander.source.location(parameter.whole, parameter.end + 1)
        assigned = Traced(pieces, frozenset(expander.assumes | {parameter.name}))
        expander.shell.scope.set_text(parameter.name, assigned, location)
        return _fragments(assigned, quoted=quoted)
    return fragments


def _operand(expander: Expander, parameter: _Parameter, *, quoted: bool) -> list[Fragment]:
    if quoted:
        return expander.double_quoted(parameter.operand, parameter.end, drop_quotes=True)
    fragments = expander.unquoted(parameter.operand, parameter.end)
    return [replace(part, kind=Kind.SPLIT) if part.kind is Kind.LITERAL else part for part in fragments]


# ${V#p}, ${V//a/b}, ${V^^}, ${V:0:3}


def _transform(expander: Expander, parameter: _Parameter, value: Traced) -> Traced:
    if not parameter.operator or parameter.operator == "@":
        return value
    if isinstance(value.text, Unknown):
        return value
    text = _transformed(expander, parameter, value.text)
    if text == value.text:
        return value
    if text is None:
        shown = expander.source.text[parameter.whole : parameter.end + 1]
        result: str | Unknown = Unknown(f"{shown} cannot be computed", "the values of its variables")
    else:
        result = text
    piece = Piece(
        result, expander.source, parameter.whole, parameter.end + 1, verbatim=False, filled_in=value.filled_in
    )
    return Traced((piece,), value.assumes)


def _transformed(expander: Expander, parameter: _Parameter, text: str) -> str | None:
    operator = parameter.operator
    if operator == ":":
        bounds = _bounds(expander, parameter)
        return None if bounds is None else _substring(text, *bounds)
    if operator[0] in "^,":
        change: Callable[[str], str] = str.upper if operator[0] == "^" else str.lower
        return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
    if operator[0] == "/":
        return _replace(expander, parameter, text)
    pattern = expander.pattern(parameter.operand, parameter.end)
    if pattern is None or (not pattern.literal and len(text) > _LONGEST_GLOBBED * 8):
        return None
    return _strip(pattern, operator, text)


def _substring(text: str, offset: int, length: int | None) -> str:
    start = max(len(text) + offset, 0) if offset < 0 else offset
    if length is None:
        return text[start:]
    return text[start:length] if length < 0 else text[start : start + length]


def _strip(pattern: Pattern, operator: str, text: str) -> str:
    if operator[0] == "#":
        ends = pattern.ends(text)
        return text[(ends[-1] if len(operator) == 2 else ends[0]) :] if ends else text
    starts = [start for start in _suffix_starts(pattern, text) if pattern.matches(text[start:])]
    if not starts:
        return text
    return text[: starts[0] if len(operator) == 2 else starts[-1]]


def _suffix_starts(pattern: Pattern, text: str) -> range:
    if pattern.literal:
        start = len(text) - len(pattern.text)
        return range(max(start, 0), start + 1)
    return range(max(len(text) - _LONGEST_GLOBBED, 0), len(text) + 1)


def _replace(expander: Expander, parameter: _Parameter, text: str) -> str | None:
    source = expander.source.text
    start = parameter.operand
    anchor = (
        source[start] if start < parameter.end and source[start] in "#%" and parameter.operator == "/" else ""
    )
    start += len(anchor)
    slash = _unescaped_slash(source, start, parameter.end)
    pattern = expander.pattern(start, slash)
    replacement = expander.single(min(slash + 1, parameter.end), parameter.end).text
    if pattern is None or isinstance(replacement, Unknown):
        return None
    if pattern.literal and not anchor:
        count = -1 if parameter.operator == "//" else 1
        return text.replace(pattern.text, replacement, count) if pattern.text else text
    if len(text) > _LONGEST_GLOBBED:
        return None
    if anchor == "%":
        stripped = _strip(pattern, "%%", text)
        return text if stripped == text else stripped + replacement
    return _replace_globbed(
        pattern, text, replacement, everywhere=parameter.operator == "//", anchored=bool(anchor)
    )


def _replace_globbed(
    pattern: Pattern, text: str, replacement: str, *, everywhere: bool, anchored: bool
) -> str:
    if not text:
        return replacement if pattern.matches("") else ""
    result, position = "", 0
    while position < len(text):
        ends = [end for end in pattern.ends(text, position) if end > position]
        if ends:
            result += replacement
            position = ends[-1]
            if not everywhere:
                break
        elif anchored:
            break
        else:
            result += text[position]
            position += 1
    return result + text[position:]


def _unescaped_slash(text: str, start: int, end: int) -> int:
    """Return where the pattern of ``${V/pattern/replacement}`` ends; its first character is never the end."""
    position = start
    quote = ""
    while position < end:
        character = text[position]
        if character == "\\" and quote != "'":
            position += 2
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "/" and position > start:
            return position
        position += 1
    return end

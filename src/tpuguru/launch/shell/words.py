"""Expanding a word: quotes, parameters, substitutions, and splitting into fields."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.fields import Fragment, Kind, pattern_of, split_fields
from tpuguru.launch.shell.patterns import Pattern
from tpuguru.launch.shell.scan import (
    end_of_backtick,
    end_of_brace,
    end_of_double_quote,
    end_of_parenthesis,
    end_of_single_quote,
)
from tpuguru.launch.source import PLACEHOLDER, Piece, Source, Traced

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell

_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!\-]")
_UNQUOTED_SPECIAL = re.compile(rf"['\"\\$`{PLACEHOLDER}]")
_QUOTED_SPECIAL = re.compile(rf"[\\$`{PLACEHOLDER}]")
_OPERAND_SPECIAL = re.compile(rf"[\\$`\"{PLACEHOLDER}]")
_VANISHING = re.compile(r"\$@|\$\{@|\$\{[A-Za-z_]\w*\[@\]")
_LONGEST_RANGE = 1_000
_BRACES = re.compile(r"\{([^{}\s,]*(?:,[^{}\s,]*)+|-?\d+\.\.-?\d+)\}")
_ANSI_C = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class Expander:
    """Expands ranges of one source in one shell's state.

    ``unset_is_empty``: in tests an unset variable is empty, as bash has it; elsewhere it is unknown, because
    the paste does not tell what the environment holds.
    """

    def __init__(self, shell: "Shell", source: Source, *, unset_is_empty: bool = False) -> None:
        """Start with nothing assumed."""
        self.shell = shell
        self.source = source
        self.unset_is_empty = unset_is_empty
        self.assumes: set[str] = set()

    # What callers ask for

    def fields(self, start: int, end: int) -> list[Traced]:
        """Return the words that the text from ``start`` to ``end`` becomes."""
        site = self.source.location(start, end)
        raw = self.source.text[start:end]
        words = split_fields(self.unquoted(start, end))
        assumes = frozenset(self.assumes)
        result = []
        for word in words:
            if word.site is None:
                # The words of an unquoted $ARGS stand where they were written, not where they are used.
                elsewhere = bool(word.pieces) and not self._stands_here(word.pieces[0], start, end)
                moved = elsewhere and (len(words) > 1 or raw[0] == "$")
                where = word.location() if moved else site
                shown = word.shown if moved else raw
                word = replace(word, site=where or site, raw=shown)  # noqa: PLW2901
            result.append(replace(word, assumes=word.assumes | assumes))
        return result

    def single(self, start: int, end: int) -> Traced:
        """Return the text that an assignment's right side becomes: no splitting."""
        return self._together(self.unquoted(start, end))

    def quoted_text(self, start: int, end: int) -> Traced:
        """Return the text of a heredoc's body."""
        return self._together(self.double_quoted(start, end))

    def pattern(self, start: int, end: int) -> Pattern | None:
        """Return the glob pattern of a range, or None when a part is unknown."""
        return pattern_of(self.unquoted(start, end))

    def _stands_here(self, piece: Piece, start: int, end: int) -> bool:
        return piece.source is self.source and start <= piece.start < end

    def _together(self, fragments: Iterable[Fragment]) -> Traced:
        pieces = []
        for fragment in fragments:
            if fragment.kind is Kind.BREAK:
                pieces.append(Piece(" ", self.source, 0, 0, verbatim=False))
            elif fragment.piece is not None:
                pieces.append(fragment.piece)
        return self.shell.bounded(Traced(tuple(pieces), frozenset(self.assumes)))

    # The two contexts

    def unquoted(self, start: int, end: int) -> list[Fragment]:
        """Return the fragments of an unquoted range."""
        text = self.source.text
        found: list[Fragment] = []
        position = start
        while position < end:
            match = _UNQUOTED_SPECIAL.search(text, position, end)
            stop = match.start() if match else end
            if stop > position:
                found.extend(self._literal(position, stop))
                position = stop
                continue
            position = self._unquoted_special(text, position, end, found)
        return found

    def _unquoted_special(self, text: str, position: int, end: int, found: list[Fragment]) -> int:
        character = text[position]
        if character == "'":
            close = end_of_single_quote(text, position + 1, end)
            found.append(self._verbatim(position + 1, close))
            return close + 1
        if character == '"':
            close = end_of_double_quote(text, position + 1, end)
            inner = self.double_quoted(position + 1, close)
            # What is quoted is a word even when it is empty; only "${A[@]}" of an empty array is none.
            vanishes = _VANISHING.search(text, position + 1, close) is not None
            found.extend(inner or ([] if vanishes else [self._verbatim(close, close)]))
            return close + 1
        if character == "\\":
            if text[position + 1 : position + 2] != "\n" and position + 1 < end:
                found.append(self._verbatim(position + 1, position + 2))
            return position + 2
        if text.startswith("$'", position):
            return self._ansi_c(position, end, found)
        if text.startswith('$"', position):
            return position + 1
        return self._expansion(position, end, found, quoted=False)

    def double_quoted(self, start: int, end: int, *, drop_quotes: bool = False) -> list[Fragment]:
        """Return the fragments of a range inside double quotes; an operand's own quotes are dropped there."""
        text = self.source.text
        found: list[Fragment] = []
        position = start
        while position < end:
            match = (_OPERAND_SPECIAL if drop_quotes else _QUOTED_SPECIAL).search(text, position, end)
            stop = match.start() if match else end
            if stop > position:
                found.append(self._verbatim(position, stop))
                position = stop
            elif text[position] == '"':
                position += 1
            elif text[position] == "\\":
                following = text[position + 1 : position + 2]
                if following == "\n":
                    position += 2
                elif following and following in '$`"\\':
                    found.append(self._verbatim(position + 1, position + 2))
                    position += 2
                else:
                    found.append(self._verbatim(position, position + 1))
                    position += 1
            else:
                position = self._expansion(position, end, found, quoted=True)
        return found

    def _verbatim(self, start: int, end: int) -> Fragment:
        return Fragment(Kind.QUOTED, Piece(self.source.text[start:end], self.source, start, end))

    def _literal(self, start: int, end: int) -> list[Fragment]:
        text = self.source.text[start:end]
        braces = _BRACES.search(text)
        if braces is None or "$" in self.source.text[max(start - 1, 0) : start]:
            return [Fragment(Kind.LITERAL, Piece(text, self.source, start, end))]
        return self._braces(text, braces, start, end)

    def _braces(self, text: str, match: re.Match[str], start: int, end: int) -> list[Fragment]:
        """Expand one ``{a,b}`` or ``{1..3}`` that stands in literal text."""
        found: list[Fragment] = []
        for index, value in enumerate(_brace_values(match.group(1))):
            if index:
                found.append(Fragment(Kind.BREAK))
            word = text[: match.start()] + value + text[match.end() :]
            found.append(Fragment(Kind.QUOTED, Piece(word, self.source, start, end, verbatim=False)))
        return found

    def _ansi_c(self, position: int, end: int, found: list[Fragment]) -> int:
        text = self.source.text
        start = position + 2
        close = start
        while close < end and text[close] != "'":
            close += 2 if text[close] == "\\" else 1
        close = min(close, end)
        value = re.sub(
            r"\\(.)", lambda m: _ANSI_C.get(m.group(1), m.group(1)), text[start:close], flags=re.DOTALL
        )
        found.append(Fragment(Kind.QUOTED, Piece(value, self.source, position, close, verbatim=False)))
        return close + 1

    # Expansions

    def _expansion(self, position: int, end: int, found: list[Fragment], *, quoted: bool) -> int:
        """Add what stands for the ``$…``, backtick or placeholder at ``position``; return where it ends."""
        text = self.source.text
        if text[position] == "`":
            close = end_of_backtick(text, position + 1, end)
            self._append(found, self.shell.substitute(self.source, position + 1, close), quoted=quoted)
            return close + 1
        if text.startswith("$(", position):
            return self._parenthesised(position, end, found, quoted=quoted)
        if text.startswith("${", position):
            from tpuguru.launch.shell.parameters import expand_braced  # noqa: PLC0415 - each needs the other

            close = end_of_brace(text, position + 2, end)
            found.extend(expand_braced(self, position, position + 2, close, quoted=quoted))
            return close + 1
        return self._named(position, end, found, quoted=quoted)

    def _parenthesised(self, position: int, end: int, found: list[Fragment], *, quoted: bool) -> int:
        text = self.source.text
        close = end_of_parenthesis(text, position + 2, end)
        if text.startswith("$((", position) and close < end and text[close - 1] == ")":
            value = self.arithmetic(position, position + 3, close - 1)
        else:
            value = self.shell.substitute(self.source, position + 2, close)
        self._append(found, value, quoted=quoted)
        return close + 1

    def _named(self, position: int, end: int, found: list[Fragment], *, quoted: bool) -> int:
        text = self.source.text
        if text[position] == PLACEHOLDER:
            unknown = self.source.unknown(position) or Unknown("not known")
            kind = Kind.QUOTED if quoted else Kind.SPLIT
            found.append(Fragment(kind, Piece(unknown, self.source, position, position + 1)))
            return position + 1
        name = _NAME.match(text, position + 1, end)
        if name is None:
            found.append(self._verbatim(position, position + 1))
            return position + 1
        found.extend(self.parameter(name.group(), position, name.end(), quoted=quoted))
        return name.end()

    def _append(self, found: list[Fragment], value: Traced, *, quoted: bool) -> None:
        self.assumes |= value.assumes
        kind = Kind.QUOTED if quoted else Kind.SPLIT
        found.extend(Fragment(kind, piece) for piece in value.pieces)

    def arithmetic(self, whole: int, start: int, end: int) -> Traced:
        """Return the value of ``$((…))`` as digits, or unknown."""
        text = self.quoted_text(start, end)
        try:
            if isinstance(text.text, Unknown):
                raise NotComputableError(text.text.reason)
            value: str | Unknown = str(self.shell.compute(text.text))
        except NotComputableError as error:
            shown = self.source.text[whole : end + 2]
            value = Unknown(f"{shown} cannot be computed: {error}", "the values of its variables")
        piece = Piece(value, self.source, whole, min(end + 2, len(self.source.text)), verbatim=False)
        return Traced((piece,), text.assumes | self.shell.arithmetic_assumes())

    def parameter(self, name: str, start: int, end: int, *, quoted: bool) -> list[Fragment]:
        """Return the fragments of ``$name``."""
        if name in ("@", "*"):
            return self.list_fragments(self.shell.positionals(self), quoted=quoted, joined=name == "*")
        value = self.value(name, start, end)
        if value is None:
            return []
        kind = Kind.QUOTED if quoted else Kind.SPLIT
        if quoted and not value.pieces:
            return [self._verbatim(end, end)]
        return [Fragment(kind, piece) for piece in value.pieces]

    def value(self, name: str, start: int, end: int) -> Traced | None:
        """Return a parameter's value for use in text; None when it is unset and that means empty here."""
        value = self.lookup(name, start, end)
        if value is not None:
            return value
        if name in self.shell.scope.variables:  # an empty array read as a text
            return None
        self.assumes.add(name)
        if self.unset_is_empty:
            return None
        reason = f"variable {name} is not set in what was pasted"
        return Traced((Piece(Unknown(reason, f"the value of {name}"), self.source, start, end),))

    def lookup(self, name: str, start: int, end: int) -> Traced | None:
        """Return a parameter's value, or None when it is unset."""
        value = self.shell.lookup(name, self.source, start, end)
        if value is not None:
            self.assumes |= value.assumes
        return value

    def list_fragments(self, elements: list[Traced], *, quoted: bool, joined: bool) -> list[Fragment]:
        """Return the fragments of ``"${A[@]}"`` (each element a word) or ``"${A[*]}"`` (one word)."""
        found: list[Fragment] = []
        separator = self.shell.separator()
        for index, element in enumerate(elements):
            self.assumes |= element.assumes
            if joined and quoted:
                if index:
                    found.append(Fragment(Kind.QUOTED, Piece(separator, self.source, 0, 0, verbatim=False)))
                found.extend(Fragment(Kind.QUOTED, piece) for piece in element.pieces)
                continue
            if index:
                found.append(Fragment(Kind.BREAK))
            if quoted:
                first = element.pieces[0] if element.pieces else None
                found.append(Fragment(Kind.QUOTED, first, element))
                found.extend(Fragment(Kind.QUOTED, piece) for piece in element.pieces[1:])
            else:
                found.extend(Fragment(Kind.SPLIT, piece) for piece in element.pieces)
        return found


def _brace_values(body: str) -> list[str]:
    if ".." not in body:
        return body.split(",")
    first, last = (int(part[:9]) for part in body.split("..", 1))
    step = 1 if last >= first else -1
    return [str(number) for number in range(first, last + step, step)[:_LONGEST_RANGE]]

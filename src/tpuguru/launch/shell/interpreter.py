"""Following a script statement by statement without running anything: which commands, with which words."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.context import Context
from tpuguru.launch.shell import assignments, control, simple
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.grammar import parse, span, text_of
from tpuguru.launch.shell.numbers import Numbers
from tpuguru.launch.shell.outcome import SUCCESS, Loop, Outcome, Return, Stop
from tpuguru.launch.shell.state import (
    MAXIMUM_PIECES,
    MAXIMUM_SUBSTITUTIONS,
    MAXIMUM_TEXT,
    MAXIMUM_WORDS,
    Scope,
    Variable,
)
from tpuguru.launch.shell.words import Expander
from tpuguru.launch.source import EmbeddedSource, Piece, Source, Traced, join

if TYPE_CHECKING:
    from tree_sitter import Node

# Names whose value is the machine's or the user's: never «unset», never a default.
_MACHINE_NAMES = frozenset(
    {
        "HOME",
        "USER",
        "LOGNAME",
        "HOSTNAME",
        "HOST",
        "PATH",
        "SHELL",
        "UID",
        "EUID",
        "RANDOM",
        "SECONDS",
        "PPID",
        "$",
        "!",
        "BASHPID",
        "LINENO",
        "EPOCHSECONDS",
        "TMPDIR",
        "_",
    }
)


class Shell:
    """One shell process being followed."""

    def __init__(self, context: Context, source: Source, scope: Scope, directory: str | None = "") -> None:
        """Follow ``source``; ``directory`` is where ``cd`` has led, relative to the paste's folder."""
        self.context = context
        self.source = source
        self.scope = scope
        self.directory = directory
        self.files: list[str] = [source.path]  # BASH_SOURCE: innermost first
        self.captured: list[Traced] | None = None  # inside $(…): what is printed
        self.locals: list[dict[str, Variable | None]] = []  # what each running function hides
        self.unknown_output = False  # a command printed what only running it tells
        self.stdin: Traced | None = None  # a heredoc or the output of the command before the pipe
        self.numbers = Numbers(self)

    # Following

    def follow(self, source: Source) -> None:
        """Follow a whole text in this shell. UsageError when it cannot be parsed in time."""
        root = parse(source, self.context.deadline)
        if source not in self.context.sources:
            self.context.sources.append(source)
        outer, self.source = self.source, source
        try:
            if root.has_error:
                self._note_errors(root, source)
            self.statements(root.children)
        finally:
            self.source = outer

    def _note_errors(self, root: "Node", source: Source) -> None:
        pending = [root]
        while pending:
            node = pending.pop()
            if node.type == "ERROR" or node.is_missing:
                start, end = span(node, source)
                what = text_of(node, source).strip().splitlines()[:1]
                shown = f" near «{what[0][:40]}»" if what else ""
                self.context.note(
                    "syntax-error",
                    f"this could not be parsed{shown}; it was read as far as possible",
                    source.location(start, end),
                )
                return
            pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)

    def statements(self, nodes: Iterable["Node"]) -> Outcome:
        """Follow statements in order and return the outcome of the last."""
        outcome = SUCCESS
        for node in nodes:
            if node.is_named and node.type not in ("comment", "heredoc_body"):
                outcome = self.statement(node)
        return outcome

    def statement(self, node: "Node") -> Outcome:
        """Follow one statement."""
        if not self.context.spend():
            raise Stop
        handler = _HANDLERS.get(node.type)
        if handler is None:
            return self.statements(node.children)
        if not self.enter():
            return SUCCESS
        try:
            return handler(self, node)
        finally:
            self.leave()

    def subshell(self) -> "Shell":
        """Return a shell that sees this one's state and changes nothing in it."""
        child = Shell(self.context, self.source, self.scope.fork(), self.directory)
        child.files = list(self.files)
        child.captured = self.captured
        return child

    # Services for the expander and the statements

    def expander(self, *, unset_is_empty: bool = False) -> Expander:
        """Return an expander over the text being followed."""
        return Expander(self, self.source, unset_is_empty=unset_is_empty)

    def location(self, node: "Node") -> Location:
        """Return a node's place."""
        return self.source.location(*span(node, self.source))

    def enter(self) -> bool:
        """Go one level deeper, if the limit allows."""
        return self.context.enter()

    def leave(self) -> None:
        """Come back."""
        self.context.leave()

    def bounded(self, value: Traced) -> Traced:
        """Return the value; an unknown when it is absurdly long, one piece when it has absurdly many."""
        if sum(len(piece.text) for piece in value.pieces if isinstance(piece.text, str)) > MAXIMUM_TEXT:
            unknown = Unknown(f"a text of more than {MAXIMUM_TEXT} characters was not followed")
            return Traced((replace(value.pieces[0], text=unknown, verbatim=False),), value.assumes)
        if len(value.pieces) > MAXIMUM_PIECES:
            whole = replace(value.pieces[0], text=value.text, verbatim=False, filled_in=value.filled_in)
            return Traced((whole,), value.assumes)
        return value

    def separator(self) -> str:
        """Return what ``"${A[*]}"`` is joined with: the first character of IFS."""
        value = self.scope.text("IFS")
        if value is None or isinstance(value.text, Unknown):
            return " "
        return value.text[:1]

    def made(
        self, text: str | Unknown, source: Source, start: int, end: int, *, filled_in: bool = False
    ) -> Traced:
        """Return a text that stands for the range ``start`` to ``end``."""
        return Traced((Piece(text, source, start, end, verbatim=False, filled_in=filled_in),))

    def is_set(self, name: str) -> bool:
        """Tell whether a variable is set."""
        return name in self.scope.variables or name in self.context.given or name in self.context.forced

    def lookup(self, name: str, source: Source, start: int, end: int) -> Traced | None:
        """Return a parameter's value; None when the paste leaves it unset."""
        if name.isdigit() or name in "#?$!-":
            return self._special(name, source, start, end)
        if name == "BASH_SOURCE":
            return self.made(self.files[0], source, start, end)
        value = self.scope.text(name)
        if value is not None:
            return value
        if name in self.scope.variables:
            return None
        return self._from_outside(name, source, start, end)

    def _special(self, name: str, source: Source, start: int, end: int) -> Traced | None:
        fixed = {"0": self.files[-1], "?": "0", "-": ""}.get(name)
        if fixed is not None:
            return self.made(fixed, source, start, end)
        if name == "#":
            count = self.made(str(len(self.scope.positionals or [])), source, start, end)
            return count if self.scope.positionals is not None else Traced(count.pieces, frozenset("#"))
        if not name.isdigit():
            return self.made(Unknown(f"${name} is set when the script runs"), source, start, end)
        if name in self.context.forced and self.scope.positionals is None:
            return self.made(self.context.forced[name], source, start, end)
        positionals = self.scope.positionals or []
        index = int(name[:6]) - 1
        return positionals[index] if index < len(positionals) else None

    def _from_outside(self, name: str, source: Source, start: int, end: int) -> Traced | None:
        if name in self.context.forced:
            return self.made(self.context.forced[name], source, start, end)
        if name in self.context.given:
            return self.made(self.context.given[name], source, start, end, filled_in=True)
        if name in self.context.groups:
            self.context.note(
                "filled-in",
                f"{name} is not set in the paste; its published value was filled in",
                source.location(start, end),
            )
            return self.made(self.context.groups[name], source, start, end, filled_in=True)
        if name == "PWD":
            return self.made(self.directory or ".", source, start, end)
        if name in _MACHINE_NAMES:
            return self.made(Unknown(f"${name} is known on the machine only"), source, start, end)
        return None

    def positionals(self, expander: Expander) -> list[Traced]:
        """Return ``$1 $2 …``; for the script itself none, which is noted."""
        if self.scope.positionals is not None:
            return self.scope.positionals
        expander.assumes.add("@")
        self.context.note(
            "extra-arguments", "«$@»: arguments given to the script itself are not in the paste"
        )
        return []

    def index(self, name: str, source: Source, start: int, end: int) -> int | str | None:
        """Return the index that a subscript's text means for the array ``name``."""
        text = Expander(self, source, unset_is_empty=True).single(start, end).text
        if isinstance(text, Unknown):
            return None
        variable = self.scope.variables.get(name)
        keys = variable.value if variable and isinstance(variable.value, dict) else {}
        if text in keys or any(isinstance(key, str) for key in keys):
            return text
        try:
            number = self.compute(text)
        except NotComputableError:
            return text
        return (
            number if number >= 0 else max((k for k in keys if isinstance(k, int)), default=-1) + 1 + number
        )

    def element(self, name: str, index: int | str | None) -> Traced | None:
        """Return one element of an array."""
        variable = self.scope.variables.get(name)
        if variable is None or index is None:
            return None
        if isinstance(variable.value, dict):
            return variable.value.get(index)
        return variable.value if index == 0 else None

    def assign(self, name: str, value: Traced, location: Location | None) -> None:
        """Set a variable; a variant's forced value wins over what the script computes."""
        forced = self.context.forced.get(name)
        if forced is not None and value.pieces:
            value = Traced(
                (
                    Piece(
                        forced,
                        value.pieces[0].source,
                        value.pieces[0].start,
                        value.pieces[-1].end,
                        verbatim=False,
                    ),
                )
            )
        self.scope.set_text(name, self.bounded(value), location)

    def hide(self, name: str) -> None:
        """Remember what a function's local variable hides."""
        if self.locals and name not in self.locals[-1]:
            self.locals[-1][name] = self.scope.variables.get(name)

    def reveal(self) -> None:
        """Bring back what the returning function had hidden."""
        for name, old in self.locals.pop().items():
            if old is None:
                self.scope.variables.pop(name, None)
            else:
                self.scope.variables[name] = old

    def compute(self, text: str) -> int:
        """Return the value of an arithmetic expression; assignments in it take effect."""
        return self.numbers.evaluate(text)

    def arithmetic_assumes(self) -> frozenset[str]:
        """Return the names that the last computation took as unset."""
        return frozenset(self.numbers.assumes)

    # Command substitution

    def substitute(self, source: Source, start: int, end: int) -> Traced:
        """Return what ``$(…)`` would print, where that follows from the paste; unknown otherwise."""
        whole = source.text[start:end]
        if not whole.strip():
            return Traced()
        unknown = self.made(
            Unknown(f"$({' '.join(whole.split())[:60]}) is never run", "a run on the machine"),
            source,
            start,
            end,
        )
        if self.context.substitutions >= MAXIMUM_SUBSTITUTIONS or not self.enter():
            return unknown
        child = self.subshell()
        child.captured = []
        inner = EmbeddedSource(Traced((Piece(whole, source, start, end),)), source.path)
        child.source = inner
        self.context.substitutions += 1
        try:
            child.statements(parse(inner, self.context.deadline).children)
        except UsageError:
            return unknown
        except (Stop, Return, Loop):
            pass
        finally:
            self.context.substitutions -= 1
            self.leave()
        printed = join(child.captured)
        if child.unknown_output:
            return Traced(unknown.pieces, printed.assumes)
        return self.bounded(_without_trailing_newlines(printed))

    def print(self, value: Traced) -> None:
        """Take what a command prints, when someone listens."""
        if self.captured is not None and len(self.captured) < MAXIMUM_WORDS:
            self.captured.append(value)


def _without_trailing_newlines(value: Traced) -> Traced:
    pieces = list(value.pieces)
    while pieces and isinstance(pieces[-1].text, str):
        text = pieces[-1].text.rstrip("\n")
        if text:
            pieces[-1] = pieces[-1].part(0, len(text))
            break
        pieces.pop()
    return Traced(tuple(pieces), value.assumes)


_HANDLERS: dict[str, Callable[[Shell, "Node"], Outcome]] = {
    **assignments.HANDLERS,
    **control.HANDLERS,
    **simple.HANDLERS,
}

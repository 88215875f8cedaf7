"""Simple commands: expand the words, follow the builtins that change the shell, hand on the rest."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.builtins import BUILTINS
from tpuguru.launch.shell.control import call_function, herestring
from tpuguru.launch.shell.grammar import text_of, word_ranges
from tpuguru.launch.shell.outcome import SUCCESS, Outcome
from tpuguru.launch.shell.state import MAXIMUM_WORDS
from tpuguru.launch.source import Traced

if TYPE_CHECKING:
    from tree_sitter import Node

    from tpuguru.launch.shell.interpreter import Shell

type Prefix = list[tuple[str, Traced, Location | None]]


def follow_command(shell: "Shell", node: "Node") -> Outcome:
    """Follow one simple command with its prefix assignments."""
    prefix: Prefix = []
    words: list[Traced] = []
    outer = shell.stdin
    for child in node.children:
        if child.type == "variable_assignment":
            prefix.extend(_prefix(shell, child))
        elif child.type == "herestring_redirect":
            shell.stdin = herestring(shell, child)
    for start, end in word_ranges(node.children, shell.source):
        if len(words) < MAXIMUM_WORDS:
            words.extend(shell.expander().fields(start, end))
    try:
        return run_words(shell, words, prefix, shell.location(node))
    finally:
        shell.stdin = outer


def _prefix(shell: "Shell", node: "Node") -> Prefix:
    from tpuguru.launch.shell.assignments import text_value  # noqa: PLC0415 - assignments follow commands too

    name = node.child_by_field_name("name")
    if name is None:
        return []
    value = text_value(shell, node, node.child_by_field_name("value"))
    return [(text_of(name, shell.source), value, shell.location(node))]


def run_words(shell: "Shell", words: list[Traced], prefix: Prefix, location: Location | None) -> Outcome:
    """Follow a command whose words are expanded: a function, a builtin, or a program that is handed on."""
    if not words:
        return SUCCESS
    name = words[0].text
    if isinstance(name, str):
        if name in shell.scope.functions:
            return call_function(shell, name, words[1:])
        builtin = BUILTINS.get(name)
        if builtin is not None:
            return _with_prefix(shell, prefix, lambda: builtin(shell, words, location))
    from tpuguru.launch.wrappers.unwrap import hand_on  # noqa: PLC0415 - wrappers follow shells too

    shell.unknown_output = shell.unknown_output or shell.captured is not None
    hand_on(shell, words, prefix, location)
    return SUCCESS if isinstance(name, Unknown) else Outcome(ok=True, guess=f"{name} is not run")


def _with_prefix(shell: "Shell", prefix: Prefix, follow: Callable[[], Outcome]) -> Outcome:
    """Follow a builtin with ``A=1`` in front of it: visible to it only."""
    saved = {name: shell.scope.variables.get(name) for name, _, _ in prefix}
    for name, value, place in prefix:
        shell.scope.set_text(name, value, place)
        shell.scope.export(name)
    try:
        return follow()
    finally:
        for name, old in saved.items():
            if old is None:
                shell.scope.variables.pop(name, None)
            else:
                shell.scope.variables[name] = old


HANDLERS: dict[str, Callable[["Shell", "Node"], Outcome]] = {"command": follow_command}

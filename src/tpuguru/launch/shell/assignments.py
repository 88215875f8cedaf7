"""``A=x``, ``A+=x``, ``A=( … )``, ``export``, ``declare``, ``local``, ``unset``."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.grammar import span, text_of, word_ranges
from tpuguru.launch.shell.outcome import SUCCESS, Outcome
from tpuguru.launch.shell.state import MAXIMUM_WORDS, Array
from tpuguru.launch.source import Traced, join

if TYPE_CHECKING:
    from tree_sitter import Node

    from tpuguru.launch.shell.interpreter import Shell

_ELEMENT = re.compile(r"\[([^\]]+)\]=")


def follow_assignment(shell: "Shell", node: "Node") -> Outcome:
    """Follow one assignment."""
    target = node.child_by_field_name("name") or node.children[0]
    value = node.child_by_field_name("value")
    append = any(child.type == "+=" for child in node.children)
    location = shell.location(node)
    if value is not None and value.type == "array":
        _assign_array(shell, text_of(target, shell.source), value, location, append=append)
    elif target.type == "subscript":
        _assign_element(shell, target, text_value(shell, node, value), location, append=append)
    else:
        name = text_of(target, shell.source)
        text = text_value(shell, node, value)
        if append and (old := shell.scope.text(name)) is not None:
            text = join((old, text))
        shell.assign(name, text, location)
    return SUCCESS


def text_value(shell: "Shell", node: "Node", value: "Node | None") -> Traced:
    """Return the text that an assignment's right side becomes."""
    if value is None:
        return Traced()
    start, _ = span(value, shell.source)
    _, end = span(node, shell.source)
    return shell.expander().single(start, end)


def _assign_array(shell: "Shell", name: str, node: "Node", location: Location, *, append: bool) -> None:
    array: Array = {}
    variable = shell.scope.variables.get(name)
    if append and variable is not None:
        array = dict(variable.value) if isinstance(variable.value, dict) else {0: variable.value}
    shell.context.spend(len(array) // 50)
    following = max((key for key in array if isinstance(key, int)), default=-1) + 1
    for word in array_words(shell, node):
        keyed = _ELEMENT.match(word.raw)
        if keyed and not isinstance(word.text, Unknown) and "]=" in word.text:
            value = word.partition("]=")
            written = keyed.group(1).strip("'\"")
            plain = written.isascii() and written.isdigit() and len(written) < 10
            key: int | str = int(written) if plain else written
            array[key] = replace(value[1], site=word.site, raw=word.raw) if value else word
            following = key + 1 if isinstance(key, int) else following
        else:
            array[following] = word
            following += 1
        if len(array) >= MAXIMUM_WORDS:
            shell.context.note(
                "reading-stopped", f"array {name} has more than {MAXIMUM_WORDS} elements", location
            )
            break
    shell.scope.set_array(name, array, location)


def array_words(shell: "Shell", node: "Node") -> Iterator[Traced]:
    """Yield the words of an array literal, comments left out."""
    for start, end in word_ranges(node.children, shell.source):
        yield from shell.expander().fields(start, end)


def _assign_element(
    shell: "Shell", target: "Node", value: Traced, location: Location, *, append: bool
) -> None:
    name_node, index_node = target.child_by_field_name("name"), target.child_by_field_name("index")
    if name_node is None or index_node is None:
        return
    name = text_of(name_node, shell.source)
    index = shell.index(name, shell.source, *span(index_node, shell.source))
    if index is None:
        return
    shell.context.spend(len(shell.scope.elements(name)) // 50)
    old = shell.element(name, index)
    shell.scope.set_element(name, index, join((old, value)) if append and old else value, location)


def follow_assignments(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``A=1 B=2``."""
    return shell.statements(node.named_children)


def follow_declaration(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``export``, ``declare``, ``typeset``, ``readonly`` and ``local`` with their operands."""
    keyword = node.children[0].type
    options = "".join(text_of(child, shell.source) for child in node.named_children if child.type == "word")
    exports = keyword == "export" or ("x" in options and keyword in ("declare", "typeset"))
    for child in node.named_children:
        name = _declared_name(shell, child)
        if name is None:
            continue
        if keyword == "local" or (keyword in ("declare", "typeset") and "g" not in options):
            shell.hide(name)
            if child.type == "variable_name":
                shell.scope.variables.pop(name, None)
        if child.type == "variable_assignment":
            follow_assignment(shell, child)
        elif child.type not in ("variable_name", "word"):
            _assign_spelled(shell, child)
        if "A" in options and name not in shell.scope.variables:
            shell.scope.set_array(name, {}, shell.location(child))
        if exports and "-n" not in options:
            _export(shell, name, shell.location(child))
    return SUCCESS


def _export(shell: "Shell", name: str, location: Location) -> None:
    if name not in shell.scope.variables and name in {**shell.context.given, **shell.context.forced}:
        value = shell.lookup(name, shell.source, 0, 0)
        if value is not None:
            shell.scope.set_text(name, value, location)
    shell.scope.export(name, None)


def _declared_name(shell: "Shell", node: "Node") -> str | None:
    if node.type == "comment" or (node.type == "word" and text_of(node, shell.source)[:1] == "-"):
        return None
    return re.split(r"\+?=|\[", text_of(node, shell.source).strip("'\""), maxsplit=1)[0]


def _assign_spelled(shell: "Shell", node: "Node") -> None:
    """Follow ``export "A=$B"``: an assignment that only expansion shows."""
    for word in shell.expander().fields(*span(node, shell.source)):
        parts = word.partition("=")
        if parts and re.fullmatch(r"[A-Za-z_]\w*", parts[0]):
            shell.assign(parts[0], parts[1], shell.location(node))


def follow_unset(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``unset A B``."""
    for child in node.named_children:
        for word in shell.expander().fields(*span(child, shell.source)):
            if isinstance(word.text, str):
                shell.scope.variables.pop(word.text, None)
    return SUCCESS


HANDLERS: dict[str, Callable[["Shell", "Node"], Outcome]] = {
    "variable_assignment": follow_assignment,
    "variable_assignments": follow_assignments,
    "declaration_command": follow_declaration,
    "unset_command": follow_unset,
}

"""Choosing branches: the paste's own answer where it has one, else the default, with the rest reported."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.conditions import Token, choices_of, example
from tpuguru.launch.shell.grammar import span, text_of
from tpuguru.launch.shell.outcome import FAILURE, SUCCESS, Choice, Outcome

if TYPE_CHECKING:
    from tree_sitter import Node

    from tpuguru.launch.shell.interpreter import Shell

_ENDINGS = ("exit", "return")
_OPAQUE = ("function_definition", "subshell", "command_substitution")
_HARMLESS = ("echo", "printf", ":", "true", "sleep", "mkdir", "set", "shopt")


def end_of_script(shell: "Shell", nodes: Sequence["Node"], depth: int = 0) -> bool:
    """Tell whether a branch leaves the script: then it is a guard, and the launch passed it."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.type in _OPAQUE:
            continue
        if node.type == "command":
            name = _command_name(shell, node)
            if name in _ENDINGS:
                return True
            function = shell.scope.functions.get(name)
            readable = function is not None and depth < 3 and function[0] is shell.source
            if function is not None and readable and end_of_script(shell, [function[1]], depth + 1):
                return True
            continue
        pending.extend(node.children)
    return False


def _command_name(shell: "Shell", node: "Node") -> str:
    """Return the first word; empty where the grammar mended an error with an empty command."""
    return next(iter(text_of(node, shell.source).split(None, 1)), "")


def has_effect(shell: "Shell", nodes: Sequence["Node"]) -> bool:
    """Tell whether skipping a branch could matter to a launch: it does more than print."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.type in ("variable_assignment", "declaration_command", "unset_command"):
            return True
        if node.type == "command":
            if _command_name(shell, node) not in _HARMLESS:
                return True
            continue
        pending.extend(node.children)
    return False


def follow_if(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``if``/``elif``/``else``."""
    branches, otherwise = _branches(node)
    uncertain = False
    for index, (conditions, body) in enumerate(branches):
        outcome = shell.statements(conditions)
        shell.context.choices.extend(outcome.choices)
        uncertain = uncertain or not outcome.certain
        if outcome.ok and uncertain and end_of_script(shell, body):
            continue
        if outcome.ok:
            skipped = [part for _, other in branches[index + 1 :] for part in other] + otherwise
            _note_skipped(shell, conditions, outcome, skipped)
            return shell.statements(body)
        _note_skipped(shell, conditions, outcome, body)
    if not otherwise:
        return SUCCESS
    if uncertain and end_of_script(shell, otherwise):
        shell.context.stops_by_default = True
        return SUCCESS
    return shell.statements(otherwise)


def _branches(node: "Node") -> tuple[list[tuple[list["Node"], list["Node"]]], list["Node"]]:
    """Return condition and body of each branch, and the body of ``else``."""
    branches = [_split_then(node.children)]
    otherwise: list[Node] = []
    for child in node.children:
        if child.type == "elif_clause":
            branches.append(_split_then(child.children))
        elif child.type == "else_clause":
            otherwise = [part for part in child.children if part.is_named]
    return branches, otherwise


def _split_then(children: Sequence["Node"]) -> tuple[list["Node"], list["Node"]]:
    conditions: list[Node] = []
    body: list[Node] = []
    current = conditions
    for child in children:
        if child.type == "then":
            current = body
        elif child.type in ("elif_clause", "else_clause", "fi"):
            break
        elif child.is_named:
            current.append(child)
    return conditions, body


def _note_skipped(
    shell: "Shell", conditions: Sequence["Node"], outcome: Outcome, skipped: Sequence["Node"]
) -> None:
    """Report a branch that was not read because of an assumption."""
    if outcome.certain or not skipped or not conditions:
        return
    if end_of_script(shell, skipped) or not has_effect(shell, skipped):
        return
    shown = " ".join(text_of(conditions[0], shell.source).split())[:80]
    because = outcome.guess or f"{', '.join(sorted(outcome.assumes))} is not set in the paste"
    lines = f"{shell.location(skipped[0]).line}-{shell.location(skipped[-1]).end_line}"
    answer = "true" if outcome.ok else "false"
    shell.context.note(
        "assumed-branch",
        f"«{shown}» was taken as {answer} ({because}); lines {lines} were not followed",
        shell.location(conditions[0]),
    )


def follow_list(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``a && b`` and ``a || b``."""
    parts = [child for child in node.children if child.type != "comment"]
    outcome = SUCCESS
    operator = ""
    for part in parts:
        if not part.is_named:
            operator = part.type
        elif not operator:
            outcome = shell.statement(part)
        else:
            outcome = _follow_right(shell, outcome, operator, part)
    return outcome


def _follow_right(shell: "Shell", left: Outcome, operator: str, right: "Node") -> Outcome:
    if operator not in ("&&", "||"):
        return shell.statement(right)
    shell.context.choices.extend(left.choices)
    if left.ok != (operator == "&&"):
        if left.assumes:
            _note_skipped(shell, [right.prev_named_sibling or right], left, [right])
        return left
    if not left.certain and end_of_script(shell, [right]):
        return left.negated() if operator == "&&" else Outcome(ok=True, guess=left.guess or "a guard")
    outcome = shell.statement(right)
    return left.both(outcome, ok=outcome.ok)


# case


def follow_case(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``case``: the item that matches, its other literals as variants."""
    value_node = node.child_by_field_name("value")
    if value_node is None:
        return FAILURE
    start, end = span(value_node, shell.source)
    value = shell.expander(unset_is_empty=True).single(start, end)
    items = [child for child in node.named_children if child.type == "case_item"]
    token = Token(start, end, shell.source.text[start:end])
    choices = choices_of(token, value.assumes, value.text, tuple(_literals(shell, items)))
    shell.context.choices.extend(choices)
    chosen = _matching(shell, items, value.text)
    if chosen is None:
        return SUCCESS
    body = _body(chosen)
    certain = not value.assumes and isinstance(value.text, str)
    if not certain and end_of_script(shell, body):
        shell.context.stops_by_default = shell.context.stops_by_default or bool(choices)
        return SUCCESS
    return shell.statements(body)


def _patterns(item: "Node") -> list["Node"]:
    found: list[Node] = []
    for child in item.children:
        if child.type == ")":
            break
        if child.is_named:
            found.append(child)
    return found


def _body(item: "Node") -> list["Node"]:
    closed = False
    found: list[Node] = []
    for child in item.children:
        if closed and child.is_named:
            found.append(child)
        closed = closed or child.type == ")"
    return found


def _matching(shell: "Shell", items: Sequence["Node"], text: str | Unknown) -> "Node | None":
    for item in items:
        for node in _patterns(item):
            pattern = shell.expander(unset_is_empty=True).pattern(*span(node, shell.source))
            if pattern is None:
                continue
            if isinstance(text, str) and pattern.matches(text):
                return item
            if isinstance(text, Unknown) and pattern.tokens == [None]:
                return item
    return None


def _literals(shell: "Shell", items: Sequence["Node"]) -> list[str]:
    return [
        text
        for item in items
        if not end_of_script(shell, _body(item))
        for node in _patterns(item)[:1]
        if (text := example(shell.expander(unset_is_empty=True).pattern(*span(node, shell.source))))
    ]


__all__ = ["Choice", "end_of_script", "follow_case", "follow_if", "follow_list"]

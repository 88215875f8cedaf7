"""Branches, loops, lists, pipelines, functions, redirections."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError
from tpuguru.launch.shell.branches import end_of_script, follow_case, follow_if, follow_list
from tpuguru.launch.shell.conditions import Condition, tokens_of
from tpuguru.launch.shell.grammar import span, text_of
from tpuguru.launch.shell.outcome import FAILURE, SUCCESS, Loop, Outcome, Return, Stop
from tpuguru.launch.shell.state import MAXIMUM_WORDS
from tpuguru.launch.source import Piece, Traced, join

if TYPE_CHECKING:
    from tree_sitter import Node

    from tpuguru.launch.shell.interpreter import Shell

_MOST_ITERATIONS = 4096


def follow_test(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``[ … ]`` and ``[[ … ]]``."""
    text = text_of(node, shell.source)
    if text.startswith("(("):
        return follow_arithmetic(shell, node)
    return Condition(shell, shell.source, tokens_of(node, shell.source)).evaluate()


def follow_arithmetic(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``(( … ))``."""
    start, end = span(node, shell.source)
    return compute_range(shell, start + 2, end - 2)


def compute_range(shell: "Shell", start: int, end: int) -> Outcome:
    """Return whether an arithmetic range is non-zero."""
    text = shell.expander().quoted_text(start, end)
    try:
        if isinstance(text.text, Unknown):
            raise NotComputableError(text.text.reason)
        value = shell.compute(text.text)
    except NotComputableError as error:
        return Outcome(ok=True, assumes=text.assumes | shell.arithmetic_assumes(), guess=str(error))
    return Outcome(ok=value != 0, assumes=text.assumes | shell.arithmetic_assumes())


def follow_compound(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``{ …; }``, or ``(( … ))``, which the grammar calls the same."""
    if node.children and node.children[0].type == "((":
        return follow_arithmetic(shell, node)
    return shell.statements(node.children)


def follow_subshell(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``( … )``."""
    child = shell.subshell()
    try:
        return child.statements(node.children)
    except Stop:
        return SUCCESS


def follow_negation(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``! command``."""
    return shell.statements(node.children).negated()


def follow_pipeline(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``a | b``: each in a subshell; what is printed reaches the next where it is known."""
    outcome = SUCCESS
    stdin = shell.stdin
    stages = [child for child in node.children if child.is_named and child.type != "comment"]
    for index, stage in enumerate(stages):
        child = shell.subshell()
        child.stdin = stdin
        last = index == len(stages) - 1
        child.captured = shell.captured if last else []
        try:
            outcome = child.statement(stage)
        except Stop:
            outcome = SUCCESS
        if not last:
            known = bool(child.captured) and not child.unknown_output
            stdin = join(child.captured or ()) if known else None
        elif child.unknown_output or (len(stages) > 1 and shell.captured is not None):
            shell.unknown_output = True
    return outcome


# Loops


def follow_for(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``for x in …`` over the words that are known."""
    name_node = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    if name_node is None or body is None:
        return SUCCESS
    name = text_of(name_node, shell.source)
    values: list[Traced] = []
    for child in node.children_by_field_name("value"):
        values.extend(shell.expander().fields(*span(child, shell.source)))
    if not any(child.type == "in" for child in node.children):
        values = shell.positionals(shell.expander())
    for value in values[:_MOST_ITERATIONS]:
        shell.scope.set_text(name, value, value.site)
        if not _iterate(shell, body):
            break
    return SUCCESS


def _iterate(shell: "Shell", body: "Node") -> bool:
    """Follow a loop's body once; False when the loop ends here."""
    if not shell.context.spend():
        return False
    try:
        shell.statements(body.children)
    except Loop as jump:
        return jump.again
    return True


def follow_c_style_for(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``for ((i=0; i<n; i++))``."""
    body = node.child_by_field_name("body")
    text = text_of(node, shell.source)
    opening, closing = text.find("(("), text.find("))")
    if body is None or opening < 0 or closing < 0:
        return SUCCESS
    start, _ = span(node, shell.source)
    parts = _semicolons(shell.source.text, start + opening + 2, start + closing)
    if len(parts) != 3:
        return SUCCESS
    compute_range(shell, *parts[0])
    for _ in range(_MOST_ITERATIONS):
        outcome = compute_range(shell, *parts[1]) if parts[1][0] < parts[1][1] else SUCCESS
        if outcome.guess:
            shell.context.note(
                "loop-not-followed", f"a loop was not followed: {outcome.guess}", shell.location(node)
            )
            break
        if not outcome.ok or not _iterate(shell, body):
            break
        compute_range(shell, *parts[2])
    return SUCCESS


def _semicolons(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [match.start() for match in re.finditer(";", text[start:end])]
    starts = [start, *(start + cut + 1 for cut in cuts)]
    ends = [*(start + cut for cut in cuts), end]
    return list(zip(starts, ends, strict=True))


def follow_while(shell: "Shell", node: "Node") -> Outcome:
    """Follow ``while`` and ``until``: as often as the paste settles, else at most once."""
    body = node.child_by_field_name("body")
    conditions = [child for child in node.children_by_field_name("condition") if child.is_named]
    if body is None:
        return SUCCESS
    until = node.children[0].type == "until"
    endless = len(conditions) == 1 and text_of(conditions[0], shell.source) in ("true", ":")
    for _ in range(_MOST_ITERATIONS):
        outcome = shell.statements(conditions)
        if outcome.ok == until or not _iterate(shell, body):
            break
        if endless or not outcome.certain:
            break
    return SUCCESS


# Functions and redirections


def follow_function(shell: "Shell", node: "Node") -> Outcome:
    """Remember a function."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        shell.scope.functions[text_of(name, shell.source)] = (shell.source, body)
    return SUCCESS


def follow_redirected(shell: "Shell", node: "Node") -> Outcome:
    """Follow a statement with redirections: a heredoc is its standard input, a file may be written by it."""
    body = node.child_by_field_name("body")
    outer = shell.stdin
    target: str | None = None
    chained: list[Node] = []
    for redirect in node.named_children:
        if redirect.type == "heredoc_redirect":
            shell.stdin = heredoc(shell, redirect)
            target = _written_file(shell, redirect.named_children) or target
            chained.extend(child for child in redirect.children if child.type in _CHAINED)
        elif redirect.type == "herestring_redirect":
            shell.stdin = herestring(shell, redirect)
    target = _written_file(shell, node.named_children) or target
    try:
        return _follow_body(shell, body, target, chained)
    finally:
        shell.stdin = outer


_CHAINED = ("pipeline", "list", "command", "redirected_statement", "|", "&&", "||")


def _follow_body(shell: "Shell", body: "Node | None", target: str | None, chained: list["Node"]) -> Outcome:
    listening = shell.captured
    text: Traced | None = None
    if target is not None or any(child.type in ("pipeline", "|") for child in chained):
        shell.captured = []
    outcome = shell.statement(body) if body is not None else SUCCESS
    if shell.captured is not listening:
        text = join(shell.captured or ())
        shell.captured = listening
    if target is not None and text is not None and text.pieces:
        shell.context.written[target] = text
    for child in chained:
        if child.is_named:
            shell.stdin = text if child.type == "pipeline" and text is not None and text.pieces else None
            outcome = shell.statement(child)
    return outcome


def _written_file(shell: "Shell", redirects: Sequence["Node"]) -> str | None:
    """Return the file that ``> file`` writes; none for descriptors and devices."""
    for redirect in redirects:
        if redirect.type != "file_redirect" or redirect.children[0].type not in (">", ">|", ">>"):
            continue
        destination = redirect.child_by_field_name("destination")
        if destination is not None:
            text = shell.expander().single(*span(destination, shell.source)).text
            if isinstance(text, str) and not text.startswith("/dev/"):
                return text
    return None


def heredoc(shell: "Shell", node: "Node") -> Traced | None:
    """Return a heredoc's text, expanded unless its end word is quoted."""
    start = next((child for child in node.children if child.type == "heredoc_start"), None)
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    if body is None:
        return None
    first, last = span(body, shell.source)
    if start is not None and text_of(start, shell.source)[:1] in "'\"\\":
        text = Traced((Piece(shell.source.text[first:last], shell.source, first, last),))
    else:
        text = shell.expander().quoted_text(first, last)
    return _without_tabs(text) if node.children[0].type == "<<-" else text


def _without_tabs(text: Traced) -> Traced:
    pieces: list[Piece] = []
    at_line_start = True
    for piece in text.pieces:
        if isinstance(piece.text, Unknown):
            pieces.append(piece)
            at_line_start = False
            continue
        for match in re.finditer(r"[^\n]*\n|[^\n]+", piece.text):
            tabs = len(match.group()) - len(match.group().lstrip("\t")) if at_line_start else 0
            pieces.append(piece.part(match.start() + tabs, match.end()))
            at_line_start = match.group().endswith("\n")
    return replace(text, pieces=tuple(pieces), _text=[])


def herestring(shell: "Shell", node: "Node") -> Traced | None:
    """Return the text of ``<<< word``."""
    word = node.named_children[-1] if node.named_children else None
    return shell.expander().single(*span(word, shell.source)) if word is not None else None


def call_function(shell: "Shell", name: str, arguments: list[Traced]) -> Outcome:
    """Follow a function's body with its arguments."""
    source, body = shell.scope.functions[name]
    if not shell.enter():
        return FAILURE
    outer_source, outer_positionals = shell.source, shell.scope.positionals
    shell.source, shell.scope.positionals = source, arguments[:MAXIMUM_WORDS]
    shell.locals.append({})
    try:
        return shell.statement(body)
    except Return:
        return SUCCESS
    finally:
        shell.reveal()
        shell.source, shell.scope.positionals = outer_source, outer_positionals
        shell.leave()


HANDLERS: dict[str, Callable[["Shell", "Node"], Outcome]] = {
    "if_statement": follow_if,
    "case_statement": follow_case,
    "list": follow_list,
    "for_statement": follow_for,
    "c_style_for_statement": follow_c_style_for,
    "while_statement": follow_while,
    "test_command": follow_test,
    "compound_statement": follow_compound,
    "subshell": follow_subshell,
    "negated_command": follow_negation,
    "pipeline": follow_pipeline,
    "function_definition": follow_function,
    "redirected_statement": follow_redirected,
}

__all__ = ["HANDLERS", "call_function", "end_of_script"]

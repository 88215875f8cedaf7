"""One rule file to a rule: front matter, sections, and every expression and template type-checked."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tpuguru.facts.factset import Facts
from tpuguru.facts.schema import Vocabulary
from tpuguru.rules.files import split_file
from tpuguru.rules.front_matter import FrontMatter
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.kinds import Base
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.parser import dotted_name, parse_expression
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.language.template import check_template
from tpuguru.rules.model import Expectation, Page, Rule
from tpuguru.rules.page import read_page
from tpuguru.rules.problems import Problem, RuleFileError, problem_in


def read_rule_file(path: Path, vocabulary: Vocabulary, provenance: str = "shipped") -> Rule:
    """Read and check one rule file.

    Raises:
        RuleFileError: with every fault of the file, each at its place.

    """
    header, body, body_line = split_file(path)
    rule = FrontMatter(header, path, provenance).rule()
    page = read_page(body, body_line, path)
    problems = [*_expression_problems(rule, vocabulary), *_template_problems(rule, page, vocabulary)]
    problems += [*_anchor_problems(rule, vocabulary), *_example_problems(rule, page)]
    if problems:
        raise RuleFileError(problems)
    return replace(rule, reads=_undecided_without(rule, vocabulary))


def _undecided_without(rule: Rule, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the facts that `when` reads, if it stays undecided while none of them is known."""
    tree = parse_expression(rule.when.text).tree
    if not isinstance(compile_node(tree)(Scope(Facts(schema=vocabulary))), Missing):
        return ()
    names = (dotted_name(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name))
    return tuple(dict.fromkeys(name for name in names if name and name in vocabulary))


def _expression_problems(rule: Rule, vocabulary: Vocabulary) -> Iterator[Problem]:
    for piece in (rule.when, rule.borderline, rule.unless):
        if piece is None:
            continue
        try:
            check_expression(parse_expression(piece.text), vocabulary, expect=Base.BOOLEAN)
        except ExpressionError as error:
            yield problem_in(rule.path, piece, error)


def _template_problems(rule: Rule, page: Page, vocabulary: Vocabulary) -> Iterator[Problem]:
    for piece in (page.cost, page.fix):
        try:
            check_template(piece.text, vocabulary)
        except ExpressionError as error:
            yield problem_in(rule.path, piece, error)
    for key, text in (("message", rule.message), ("replace", rule.replace)):
        try:
            check_template(text, vocabulary)
        except ExpressionError as error:
            yield Problem(rule.path, f"{key}: {error.message}", hint=error.hint)


def _anchor_problems(rule: Rule, vocabulary: Vocabulary) -> Iterator[Problem]:
    for name in rule.anchors:
        if name not in vocabulary:
            yield Problem(rule.path, f"anchor: no fact is called {name}")


def _example_problems(rule: Rule, page: Page) -> Iterator[Problem]:
    given = {example.expectation for example in page.examples}
    for needed in (Expectation.BAD, Expectation.GOOD):
        if needed not in given:
            yield Problem(rule.path, f"a rule has at least one example `### {needed.value.title()}: …`")
    if rule.borderline is not None and Expectation.BORDERLINE not in given:
        yield Problem(rule.path, "a rule with `borderline` has an example `### Borderline: …`")

"""One rule file to a rule: front matter, sections, and every expression and template type-checked."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tpuguru.facts.schema import Vocabulary
from tpuguru.rules.front_matter import FrontMatter
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.kinds import Base
from tpuguru.rules.language.parser import parse_expression
from tpuguru.rules.language.template import check_template
from tpuguru.rules.model import Expectation, Page, Piece, Rule
from tpuguru.rules.page import read_page
from tpuguru.rules.problems import Problem, RuleFileError, problem_in

MAX_FILE_BYTES = 200_000


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
    return rule


@lru_cache(maxsize=1024)
def rule_page(path: Path) -> Page:
    """Return the sections of a rule file that has been checked; read when a page is shown, not before."""
    _, body, body_line = split_file(path)
    return read_page(body, body_line, path)


def split_file(path: Path) -> tuple[str, str, int]:
    """Return front matter, the text after it, and the line on which that text starts. RuleFileError."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RuleFileError([Problem(path, f"the file cannot be read: {error.strerror}")]) from None
    if len(raw) > MAX_FILE_BYTES:
        raise RuleFileError([Problem(path, f"the file is larger than {MAX_FILE_BYTES:,} bytes")])
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RuleFileError([Problem(path, "the file is not UTF-8 text")]) from None
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if lines[0].rstrip() != "---" or not end:
        raise RuleFileError(
            [Problem(path, "the file does not start with front matter between two `---` lines")]
        )
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2


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


def piece_source(piece: Piece | None) -> str:
    """Return an expression on one line, for people."""
    return " ".join(piece.text.split()) if piece else ""

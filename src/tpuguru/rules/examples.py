"""A rule's examples are its tests: each must get the verdict that its heading promises."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tpuguru.base.errors import TpuguruError
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Verdict
from tpuguru.facts.schema import Vocabulary
from tpuguru.rules.engine import evaluate_rule
from tpuguru.rules.files import rule_page
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.literals import Assignments, facts_from, read_assignments
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Example, Expectation, Rule
from tpuguru.rules.problems import RuleFileError, problem_in

VERDICT_OF = {
    Expectation.BAD: Verdict.APPLIES,
    Expectation.GOOD: Verdict.NOT_APPLICABLE,
    Expectation.BORDERLINE: Verdict.BORDERLINE,
    Expectation.UNKNOWN: Verdict.CANNOT_TELL,
}

type LaunchFacts = Callable[[Example], Facts]
"""Reads a launch or paste example; their readers are rooms above this one, so it is handed in."""


@dataclass(frozen=True, slots=True)
class Case:
    """An example with its facts."""

    rule: Rule
    example: Example
    facts: Facts

    @property
    def expected(self) -> Verdict:
        """Return the verdict that the heading promises."""
        return VERDICT_OF[self.example.expectation]

    def accepts(self, verdict: Verdict) -> bool:
        """Tell whether the verdict keeps the promise.

        A paste leaves most facts open, so a Good one only promises that the rule does not apply.
        """
        if self.example.language == "paste" and self.expected is Verdict.NOT_APPLICABLE:
            return verdict in (Verdict.NOT_APPLICABLE, Verdict.CANNOT_TELL)
        return verdict is self.expected


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that got another verdict than it promises."""

    case: Case
    got: Verdict
    needs: tuple[str, ...]

    def __str__(self) -> str:
        needs = f" (needs {'; '.join(self.needs)})" if self.needs else ""
        example = self.case.example
        heading = f"{example.expectation.value.title()}: {example.title}"
        return (
            f"{self.case.rule.path}:{example.body.line}: `{heading}` "
            f"must be «{self.case.expected}», is «{self.got}»{needs}"
        )


def rule_cases(rule: Rule, vocabulary: Vocabulary, launch_facts: LaunchFacts) -> Iterator[Case]:
    """Yield every example of a rule with its facts.

    Raises:
        RuleFileError: an example cannot be read.

    """
    before: Assignments = {}
    for example in rule_page(rule.path).examples:
        if example.language == "facts":
            try:
                before = read_assignments(example.body.text, vocabulary, before)
            except ExpressionError as error:
                raise RuleFileError([problem_in(rule.path, example.body, error)]) from None
            yield Case(rule, example, facts_from(before, vocabulary))
        else:
            try:
                facts = launch_facts(example)
            except TpuguruError as error:
                problem = problem_in(rule.path, example.body, ExpressionError(error.message))
                raise RuleFileError([problem]) from None
            yield Case(rule, example, facts)


def failures(cases: list[Case]) -> list[Failure]:
    """Return the examples whose verdict differs from what their heading promises."""
    failed = []
    for case in cases:
        outcome = evaluate_rule(case.rule, Scope(case.facts))
        if not case.accepts(outcome.verdict):
            failed.append(Failure(case, outcome.verdict, outcome.needs))
    return failed

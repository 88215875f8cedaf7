"""What an author asks: whether files load, examples hold, and every part of `when` matters."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tpuguru.facts.vocabulary import vocabulary
from tpuguru.report.rule_examples import example_facts
from tpuguru.rules.catalog import Catalog, load_roots
from tpuguru.rules.examples import failures, rule_cases
from tpuguru.rules.model import Rule
from tpuguru.rules.mutants import survivors
from tpuguru.rules.problems import RuleFileError, usage_error


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What is wrong with one rule that loads: failing examples, and parts of `when` that no example holds."""

    rule: Rule
    failing: tuple[str, ...]
    surviving: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failing and not self.surviving


def check_rule(rule: Rule) -> RuleCheck:
    """Run a rule's examples and break its `when` in every way. UsageError when an example cannot be read."""
    try:
        cases = list(rule_cases(rule, vocabulary(), example_facts))
    except RuleFileError as error:
        raise usage_error(error.problems) from None
    failing = tuple(str(failure) for failure in failures(cases))
    surviving = () if failing else tuple(mutant.what for mutant in survivors(rule, cases))
    return RuleCheck(rule, failing, surviving)


def check_catalog(catalog: Catalog) -> Iterator[RuleCheck]:
    """Check every rule of a catalog."""
    for rule in catalog.rules:
        yield check_rule(rule)


def catalog_of(paths: list[Path]) -> Catalog:
    """Return the rules in files and folders given by name. UsageError when one is broken."""
    return load_roots([("given", path) for path in paths], vocabulary())

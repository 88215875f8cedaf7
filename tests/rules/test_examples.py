"""Every rule's examples are run, and every part of its trigger is held by one of them."""

from pathlib import Path

import pytest
from tests.rules.rule_files import BODY, write_rule

from tpuguru.facts.finding import Verdict
from tpuguru.facts.vocabulary import vocabulary
from tpuguru.report.rule_examples import example_facts
from tpuguru.report.rules.checking import check_rule
from tpuguru.rules.catalog import Catalog, load_catalog
from tpuguru.rules.engine import evaluate_rule
from tpuguru.rules.examples import rule_cases
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Rule

CATALOG = load_catalog()


@pytest.mark.parametrize("rule", CATALOG.rules, ids=lambda rule: rule.name)
def test_the_rules_examples_hold_and_hold_it(rule: Rule) -> None:
    """Each example gets its verdict, and breaking any part of `when` makes one of them fail."""
    result = check_rule(rule)
    assert result.failing == ()
    assert result.surviving == ()


def test_a_wrong_example_is_found(tmp_path: Path) -> None:
    """The check above must be able to fail."""
    write_launch_rule(tmp_path, when="len(launch.duplicate_settings) > 1")
    result = check_rule(only(tmp_path))
    assert len(result.failing) == 1
    assert "`Bad: one` must be «applies», is «not applicable»" in result.failing[0]


def test_a_part_that_no_example_holds_is_found(tmp_path: Path) -> None:
    """A condition that nobody tests can be broken without a test failing."""
    write_launch_rule(tmp_path, when="len(launch.duplicate_settings) > 0 and launch.slices != 7")
    assert check_rule(only(tmp_path)).surviving == ("without: launch.slices != 7",)


def write_launch_rule(folder: Path, when: str) -> None:
    """Write a rule over the shipped vocabulary."""
    body = BODY.format(cost="c", fix="f").replace(
        "job.flag = True", 'launch.duplicate_settings = ["a"]\nlaunch.slices = 1'
    )
    body = body.replace("job.flag = False", "...\nlaunch.duplicate_settings = []")
    write_rule(folder, when=when, body=body)


def only(folder: Path) -> Rule:
    """Return the one rule of a folder."""
    from tpuguru.report.rules.checking import catalog_of  # noqa: PLC0415

    loaded: Catalog = catalog_of([folder])
    return loaded.rules[0]


PAIRS = [(rule.name, other) for rule in CATALOG.rules for other in rule.never_with]


@pytest.mark.parametrize(("name", "other"), PAIRS, ids=lambda name: name)
def test_rules_that_exclude_each_other_never_fire_together(name: str, other: str) -> None:
    """Two findings that contradict each other would leave the reader with neither."""
    rules = [CATALOG.rule(name), CATALOG.rule(other)]
    for rule in rules:
        for case in rule_cases(rule, vocabulary(), example_facts):
            verdicts = [evaluate_rule(one, Scope(case.facts)).verdict for one in rules]
            assert verdicts.count(Verdict.APPLIES) <= 1, case.example.title

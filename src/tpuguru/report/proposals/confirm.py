"""Take a candidate into a rule library, after its examples ran and the catalog was asked for collisions."""

import getpass
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.facts.finding import Verdict
from tpuguru.facts.vocabulary import vocabulary
from tpuguru.report.rule_examples import example_facts
from tpuguru.report.rules.checking import RuleCheck, check_rule
from tpuguru.rules.catalog import Catalog, load_catalog
from tpuguru.rules.engine import evaluate_rule
from tpuguru.rules.examples import rule_cases
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Expectation, Rule
from tpuguru.rules.reading import read_rule_file


@dataclass(frozen=True, slots=True)
class Review:
    """What confirming would mean: the rule, its own check, and rules that overlap with it."""

    rule: Rule
    check: RuleCheck
    also_fire: tuple[str, ...]  # rules that fire on its Bad examples as well
    fires_on: tuple[str, ...]  # rules on whose Good examples it fires: it would cry wolf there

    @property
    def acceptable(self) -> bool:
        """Whether its examples hold and it stays silent where the catalog says that nothing is wrong."""
        return self.check.clean and not self.fires_on


def review(path: Path, project: Path | None = None) -> Review:
    """Check a candidate against itself and against every rule in force. UsageError when it does not load."""
    if not path.is_file():
        raise UsageError(
            f"there is no file {path}", help="tpuguru propose --from LOG writes one to proposals/"
        )
    rule = read_rule_file(path, vocabulary(), "proposal")
    catalog = load_catalog(project)
    taken = next((other for other in catalog.rules if rule.name == other.name or rule.id == other.id), None)
    if taken is not None:
        raise UsageError(f"{path}: {rule.name} ({rule.id}) clashes with the rule in {taken.path}")
    return Review(rule, check_rule(rule), *_overlaps(rule, catalog))


def _overlaps(rule: Rule, catalog: Catalog) -> tuple[tuple[str, ...], tuple[str, ...]]:
    schema = vocabulary()
    bad = [
        case.facts
        for case in rule_cases(rule, schema, example_facts)
        if case.example.expectation is Expectation.BAD
    ]
    also, wolf = [], []
    for other in catalog.of_framework("any"):
        if any(evaluate_rule(other, Scope(facts)).verdict is Verdict.APPLIES for facts in bad):
            also.append(other.name)
        for case in rule_cases(other, schema, example_facts):
            fires = evaluate_rule(rule, Scope(case.facts)).verdict is Verdict.APPLIES
            if fires and case.example.expectation is Expectation.GOOD:
                wolf.append(other.name)
                break
    return tuple(also), tuple(wolf)


def accept(path: Path, library: Path) -> Path:
    """Move the candidate and its evidence into ``library`` and note who confirmed it and when."""
    library.mkdir(parents=True, exist_ok=True)
    target = library / path.name
    if target.exists():
        raise UsageError(f"{target} exists already", help="rename the rule")
    who = f"{getpass.getuser()} on {datetime.now(UTC).date().isoformat()}"
    text = path.read_text(encoding="utf-8").rstrip("\n").replace("status: preview\n", "status: stable\n", 1)
    target.write_text(f"{text}\n\n<!-- confirmed by {who} -->\n", encoding="utf-8")
    path.unlink()
    evidence = path.with_suffix(".evidence.txt")
    if evidence.is_file():
        evidence.rename(library / evidence.name)
    return target

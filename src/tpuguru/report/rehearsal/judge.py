"""What the rules say about a rehearsal."""

from collections.abc import Iterable
from pathlib import Path

from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.rules.catalog import Catalog, find_project, load_catalog
from tpuguru.rules.engine import evaluate


def findings_of(facts: Facts, catalog: Catalog | None = None) -> tuple[Finding, ...]:
    """Return the findings that rest on the rehearsal or on its compiled step, worst first.

    UsageError when a rule is broken.
    """
    rules = catalog or load_catalog(find_project(Path.cwd()))
    return tuple(finding for finding in evaluate(rules, facts).findings if _rests_on_it(finding))


def _rests_on_it(finding: Finding) -> bool:
    return _any_prefix((each.fact for each in finding.evidence), ("rehearsal.", "compiled."))


def _any_prefix(names: Iterable[str], prefixes: tuple[str, ...]) -> bool:
    return any(name.startswith(prefixes) for name in names)

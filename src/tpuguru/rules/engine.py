"""Rules over facts: a verdict for each rule, a finding for each that applies."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from tpuguru.base.location import Location
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Evidence, Finding, Severity, Verdict
from tpuguru.facts.value import Unknown
from tpuguru.rules.catalog import Catalog
from tpuguru.rules.evidence import evidence_of, places_of
from tpuguru.rules.files import rule_page
from tpuguru.rules.language.closures import Evaluate
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.missing import Missing, MissingFact
from tpuguru.rules.language.parser import parse_checked
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Rule, Status

SEVERITY_RANK = {Severity.CRITICAL: 0, Severity.WARN: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule says. ``needs`` is filled for «cannot tell»: what would settle it, each once."""

    rule: Rule
    verdict: Verdict
    needs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What all rules say about one set of facts."""

    outcomes: tuple[Outcome, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what applies or is borderline: worst first, then in the order fixes should be tried."""
        found = [(outcome.rule, outcome.finding) for outcome in self.outcomes if outcome.finding]
        found.sort(key=lambda pair: (SEVERITY_RANK[pair[1].severity], pair[0].order, pair[0].id))
        return tuple(finding for _, finding in found)

    @property
    def not_checked(self) -> tuple[Outcome, ...]:
        """Return the rules that cannot tell yet."""
        return tuple(outcome for outcome in self.outcomes if outcome.verdict is Verdict.CANNOT_TELL)


def evaluate(catalog: Catalog, facts: Facts, names: Iterable[str] | None = None) -> Evaluation:
    """Ask every rule of the launch's framework, or only those in ``names`` (names or ids).

    Deprecated rules are asked only by name. UsageError when a name is no rule.
    """
    if names is not None:
        rules = [catalog.rule(name) for name in dict.fromkeys(names)]
    else:
        framework = facts.get("launch.framework").value
        rules = [
            rule for rule in catalog.of_framework(str(framework)) if rule.status is not Status.DEPRECATED
        ]
    scope = Scope(facts)
    return Evaluation(tuple(_untold(rule, facts) or evaluate_rule(rule, scope) for rule in rules))


def _untold(rule: Rule, facts: Facts) -> Outcome | None:
    """Return «cannot tell» without evaluating, when none of the facts that `when` reads was ever set."""
    if not rule.reads or any(name in facts for name in rule.reads):
        return None
    unknown = ((name, facts.get(name).value) for name in rule.reads)
    missing = tuple(
        MissingFact(name, value.reason, value.needs) for name, value in unknown if isinstance(value, Unknown)
    )
    return _cannot_tell(rule, Missing(missing))


def evaluate_rule(rule: Rule, scope: Scope) -> Outcome:
    """Ask one rule."""
    scope.begin()
    fires = compiled(rule.when.text)(scope)
    if fires is False:
        return _perhaps_borderline(rule, scope)
    evidence = evidence_of(scope) if fires is True else ()
    excused = _excused(rule, scope)
    if excused is True:
        return Outcome(rule, Verdict.NOT_APPLICABLE)
    for undecided in (fires, excused):
        if isinstance(undecided, Missing):
            return _cannot_tell(rule, undecided)
    return Outcome(rule, Verdict.APPLIES, finding=_finding(rule, scope, evidence))


@lru_cache(maxsize=4096)
def compiled(text: str) -> Evaluate:
    """Return the function of an expression that was checked when its rule was loaded."""
    return compile_node(parse_checked(text))


def _excused(rule: Rule, scope: Scope) -> object:
    if rule.unless is None:
        return False
    scope.begin()
    return compiled(rule.unless.text)(scope)


def _perhaps_borderline(rule: Rule, scope: Scope) -> Outcome:
    if rule.borderline is None:
        return Outcome(rule, Verdict.NOT_APPLICABLE)
    scope.begin()
    near = compiled(rule.borderline.text)(scope)
    if near is not True:
        return Outcome(rule, Verdict.NOT_APPLICABLE)
    evidence = evidence_of(scope)
    if _excused(rule, scope) is not False:
        return Outcome(rule, Verdict.NOT_APPLICABLE)
    return Outcome(rule, Verdict.BORDERLINE, finding=_borderline_finding(rule, scope, evidence))


def _cannot_tell(rule: Rule, missing: Missing) -> Outcome:
    needs = dict.fromkeys(
        f"{fact.name}: {fact.needs or fact.reason}" if fact.name else fact.reason for fact in missing.facts
    )
    names = dict.fromkeys(fact.name for fact in missing.facts if fact.name)
    return Outcome(rule, Verdict.CANNOT_TELL, tuple(needs), tuple(names))


def _finding(rule: Rule, scope: Scope, evidence: tuple[Evidence, ...]) -> Finding:
    from tpuguru.rules.language.template import render_template  # noqa: PLC0415 - only findings need it

    page = rule_page(rule.path)
    severity = Severity.INFO if rule.status is Status.PREVIEW else rule.severity
    return Finding(
        id=rule.id,
        name=rule.name,
        title=rule.title,
        severity=severity,
        level=rule.level,
        category=rule.category,
        message=render_template(rule.message, scope) if rule.message else "",
        cost=render_template(page.cost.text, scope),
        fix=render_template(page.fix.text, scope),
        skip_when=page.skip_when.text,
        location=_primary_place(rule, evidence, scope.facts),
        evidence=evidence,
        sources=rule.sources,
    )


def _borderline_finding(rule: Rule, scope: Scope, evidence: tuple[Evidence, ...]) -> Finding:
    from tpuguru.rules.tipping import what_would_tip  # noqa: PLC0415 - rarely needed

    finding = _finding(rule, scope, evidence)
    tip = what_would_tip(rule.when.text, scope)
    message = ". ".join(part for part in (finding.message, tip) if part)
    return replace(finding, verdict=Verdict.BORDERLINE, severity=Severity.INFO, message=message)


def _primary_place(rule: Rule, evidence: tuple[Evidence, ...], facts: Facts) -> Location | None:
    for name in (*rule.anchors, *(item.fact for item in evidence)):
        place = next(places_of(name, facts), None)
        if place is not None:
            return place
    return next((item.origin.location for item in evidence if item.origin.location), None)

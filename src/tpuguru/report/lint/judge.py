"""Findings as the user gets them: with the setting's own text, ignore comments and reasons applied."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tpuguru.base.location import Location
from tpuguru.base.redaction import redact
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Category, Finding, Level, Severity
from tpuguru.launch.model import Launch, Setting
from tpuguru.report.lint.comments import Directive, Explanation, directives, explanations, touches
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import Catalog
from tpuguru.rules.engine import Evaluation, Outcome, evaluate
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.language.template import render_template


@dataclass(frozen=True, slots=True)
class Suppression:
    """Why a finding does not count, and where that is written."""

    kind: Literal["comment", "configuration"]
    reason: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding with what the paste and the configuration say about it."""

    finding: Finding
    suppression: Suppression | None = None
    explained_by: str = ""
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Everything the rules say about one launch."""

    judged: tuple[Judged, ...]
    not_checked: tuple[Outcome, ...]
    directives: tuple[Directive, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings alone; a suppressed one says so in ``suppressed_by``."""
        return tuple(one.finding for one in self.judged)


def judge(
    launch: Launch,
    facts: Facts,
    catalog: Catalog,
    settings: LintSettings | None = None,
    extra: Iterable[Finding] = (),
) -> Judgement:
    """Evaluate the rules over ``facts`` and apply comments and settings.

    ``extra`` are findings of the framework itself, e.g. a key it refuses; they are treated like a rule's.
    """
    settings = settings or LintSettings()
    evaluation = evaluate(catalog, facts)
    return judge_evaluation(launch, facts, catalog, evaluation, settings, extra)


def judge_evaluation(
    launch: Launch,
    facts: Facts,
    catalog: Catalog,
    evaluation: Evaluation,
    settings: LintSettings,
    extra: Iterable[Finding] = (),
) -> Judgement:
    """Apply comments and settings to verdicts that are there already."""
    written = _settings_by_place(launch)
    found_directives = tuple(directives(launch.comments))
    reasons = tuple(explanations(launch.comments))
    judged = []
    for finding in (*evaluation.findings, *extra):
        if finding.name in catalog and not settings.wants(catalog.rule(finding.name)):
            continue
        with_setting = _with_setting(finding, written)
        one = _judge_one(with_setting, found_directives, reasons, settings)
        if settings.shows(one.finding):
            judged.append(replace(one, replacement=_replacement(one.finding, catalog, facts)))
    not_checked = tuple(outcome for outcome in evaluation.not_checked if settings.wants(outcome.rule))
    return Judgement(tuple(judged), not_checked, found_directives)


def _settings_by_place(launch: Launch) -> dict[tuple[str, int, int], Setting]:
    groups = (launch.target, launch.environment, launch.compiler_flags, launch.settings)
    return {
        (setting.location.path, setting.location.line, setting.location.column): setting
        for group in groups
        for setting in group
        if setting.location is not None
    }


def _with_setting(finding: Finding, written: dict[tuple[str, int, int], Setting]) -> Finding:
    place = finding.location
    setting = written.get((place.path, place.line, place.column)) if place else None
    if setting is None or finding.setting:
        return finding
    raw = setting.raw or f"{setting.key} {setting.text if isinstance(setting.text, str) else ''}"
    return replace(finding, setting=redact(" ".join(raw.split())))


def _judge_one(
    finding: Finding,
    found: tuple[Directive, ...],
    reasons: tuple[Explanation, ...],
    settings: LintSettings,
) -> Judged:
    for directive in found:
        if directive.suppresses(finding):
            directive.used.update((finding.name, finding.id))
            where = f"comment at {directive.location}: {directive.reason}"
            return Judged(
                replace(finding, suppressed_by=where),
                Suppression("comment", directive.reason, directive.location),
            )
    for ignore in settings.ignores:
        if ignore.covers(finding):
            where = f"configuration {settings.source}: {ignore.reason}"
            return Judged(
                replace(finding, suppressed_by=where),
                Suppression("configuration", ignore.reason, ignore.location),
            )
    return _explained(finding, reasons)


def _explained(finding: Finding, reasons: tuple[Explanation, ...]) -> Judged:
    """Lower a finding whose setting has a reason beside it; only the finding's own setting counts."""
    own = replace(finding, evidence=())
    for reason in reasons:
        if touches(reason.location, reason.covers, own):
            quote = f"explained at {reason.location}: «{reason.text}»"
            message = f"{finding.message}; {quote}" if finding.message else quote
            return Judged(
                replace(finding, severity=Severity.INFO, message=message), None, explained_by=reason.text
            )
    return Judged(finding)


def _replacement(finding: Finding, catalog: Catalog, facts: Facts) -> str:
    rule = catalog.rule(finding.name) if finding.name in catalog else None
    return render_template(rule.replace, Scope(facts)) if rule and rule.replace else ""


def directive_findings(
    found: Iterable[Directive], catalog: Catalog, known_names: Iterable[str], undecided: frozenset[str]
) -> Iterator[Finding]:
    """Yield what is wrong with ignore comments: no reason, no such rule, nothing to ignore.

    ``known_names`` are names of findings that are no rules; ``undecided`` rules could not tell yet, so that
    an ignore of them is not called unused.
    """
    known = {*known_names, *(key for rule in catalog.rules for key in (rule.name, rule.id))}
    for directive in found:
        if not directive.rules:
            yield _directive_finding("R-L01", "ignore-without-rule", directive, "an ignore names no rule")
        elif not directive.reason:
            yield _directive_finding("R-L02", "ignore-without-reason", directive, "an ignore gives no reason")
        for name in directive.rules:
            if name not in known:
                near = did_you_mean(name, known)
                hint = f"did you mean {near[0]}?" if near else "`tpuguru rules` lists the names"
                message = f"the ignored rule {name} does not exist"
                yield _directive_finding("R-L03", "ignore-of-unknown-rule", directive, message, hint)
            elif directive.reason and name not in directive.used and name not in undecided:
                message = f"nothing is found here for the ignored rule {name}"
                yield _directive_finding("R-L04", "unused-ignore", directive, message, "remove the comment")


DIRECTIVE_TITLES = {
    "ignore-without-rule": "An ignore comment names no rule, so it ignores nothing",
    "ignore-without-reason": "An ignore comment gives no reason, so it ignores nothing",
    "ignore-of-unknown-rule": "An ignore comment names a rule that does not exist",
    "unused-ignore": "An ignore comment ignores nothing",
}


def _directive_finding(
    identifier: str, name: str, directive: Directive, message: str, fix: str = ""
) -> Finding:
    return Finding(
        id=identifier,
        name=name,
        title=DIRECTIVE_TITLES[name],
        severity=Severity.INFO if name == "unused-ignore" else Severity.WARN,
        level=Level.MECHANISM,
        category=Category.HYGIENE,
        message=message,
        fix=fix or "write `# tpuguru: ignore[rule-name] the reason`",
        location=directive.location,
    )

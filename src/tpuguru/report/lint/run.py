"""Lint pastes: read, derive facts, ask the rules, apply comments, configuration and baseline."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding, Verdict
from tpuguru.frameworks.interface import Framework, all_frameworks
from tpuguru.launch.model import Launch, Paste, Setting, SettingSource
from tpuguru.report.contracts.findings import ErrorRecord
from tpuguru.report.lint.baseline import fingerprints, read_baseline
from tpuguru.report.lint.comments import directives
from tpuguru.report.lint.configuration import find_settings
from tpuguru.report.lint.judge import Judged, Judgement, directive_findings, judge
from tpuguru.report.lint.settings import LintSettings, check_patterns
from tpuguru.rules.catalog import Catalog, find_project, load_catalog


@dataclass(frozen=True, slots=True)
class JudgedLaunch:
    """One launch of one paste with what the rules say."""

    paste: Paste
    launch: Launch
    facts: Facts
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class FoundOnce:
    """A finding with the launches it holds for (positions in the run), its fingerprint and baseline state."""

    judged: Judged
    launches: tuple[int, ...]
    fingerprint: str = ""
    in_baseline: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is neither suppressed nor in the baseline."""
        return self.judged.suppression is None and not self.in_baseline


@dataclass(frozen=True, slots=True)
class LintRun:
    """Everything one run found, before it becomes a report."""

    pastes: tuple[Paste, ...]
    launches: tuple[JudgedLaunch, ...]
    findings: tuple[FoundOnce, ...]
    settings: LintSettings
    errors: tuple[ErrorRecord, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """Return 1 when a finding that applies and counts is severe enough, else 0."""
        failing = (
            found.counts
            and found.judged.finding.verdict is Verdict.APPLIES
            and self.settings.fails(found.judged.finding.severity)
            for found in self.findings
        )
        return ExitCode.FINDINGS if any(failing) else ExitCode.CLEAN


def settings_for(paths: Sequence[str]) -> LintSettings:
    """Return the configuration nearest to the first input. UsageError."""
    return find_settings(_folder(paths[0] if paths else "-"))


def catalog_for(paths: Sequence[str]) -> Catalog:
    """Return the rules in force for the first input: shipped, the user's, its repository's. UsageError."""
    return load_catalog(find_project(_folder(paths[0] if paths else "-")))


def _folder(path: str) -> Path:
    return Path.cwd() if path == "-" else Path(path).absolute().parent


def lint(
    pastes: Sequence[Paste],
    catalog: Catalog,
    settings: LintSettings,
    hardware: Sequence[tuple[str, str]] = (),
) -> LintRun:
    """Lint what was read; ``hardware`` names a slice or a GPU in place of what the launches say.

    Raises:
        NothingToCheckError: no paste holds a launch of any framework.
        UsageError: the settings name rules that do not exist, or the baseline cannot be read.

    """
    check_patterns(settings.select, catalog, "select")
    check_patterns(settings.ignore, catalog, "ignore")
    accepted = read_baseline(settings.baseline) if settings.baseline else frozenset()
    launches: list[JudgedLaunch] = []
    found: list[FoundOnce] = []
    for paste in pastes:
        judged = [_judge(paste, launch, catalog, settings) for launch in _launches(paste, hardware)]
        found += _merged(paste, judged, len(launches), catalog, settings)
        launches += judged
    if not launches:
        raise nothing_to_check(pastes)
    marks = fingerprints(one.judged.finding for one in found)
    marked = [
        replace(one, fingerprint=mark, in_baseline=mark in accepted)
        for one, mark in zip(found, marks, strict=True)
    ]
    return LintRun(tuple(pastes), tuple(launches), tuple(marked), settings)


def _launches(paste: Paste, hardware: Sequence[tuple[str, str]]) -> Iterator[Launch]:
    """Yield the launches with the options put in front of what they say themselves."""
    options = tuple(
        Setting(key, name, SettingSource.FILLED_IN, raw=f"--{key} {name}") for key, name in hardware
    )
    for launch in launches_of(paste):
        yield replace(launch, target=(*launch.target, *options)) if options else launch


def launches_of(paste: Paste) -> list[Launch]:
    """Return every launch in a paste, by the framework that recognises it."""
    from tpuguru.frameworks.registry import launches  # noqa: PLC0415

    return launches(paste)


def nothing_to_check(pastes: Iterable[Paste]) -> NothingToCheckError:
    """Return the error for pastes without a launch."""
    names = ", ".join(paste.path for paste in pastes)
    return NothingToCheckError(
        f"no launch that tpuguru knows is in {names}",
        help="known: " + ", ".join(framework.name for framework in all_frameworks()),
    )


def _judge(paste: Paste, launch: Launch, catalog: Catalog, settings: LintSettings) -> JudgedLaunch:
    framework = framework_of(launch)
    facts = framework.facts(launch)
    judgement = judge(launch, facts, catalog, settings, framework_findings(framework, launch))
    return JudgedLaunch(paste, launch, facts, judgement)


def framework_of(launch: Launch) -> Framework:
    """Return the framework of a launch. UsageError when it is not one of ours (a launch JSON may say so)."""
    for framework in all_frameworks():
        if framework.name == launch.framework:
            return framework
    raise UsageError(f"no framework is called {launch.framework}")


def framework_findings(framework: Framework, launch: Launch) -> tuple[Finding, ...]:
    """Return what the framework itself refuses, e.g. unknown keys; frameworks may leave this out."""
    read = getattr(framework, "refusals", None)
    return tuple(read(launch)) if read else ()


def _merged(
    paste: Paste, judged: list[JudgedLaunch], first: int, catalog: Catalog, settings: LintSettings
) -> list[FoundOnce]:
    """Return each finding of a paste once, with the launches it holds for, and the faults of its comments."""
    positions: dict[Judged, list[int]] = {}
    for position, one in enumerate(judged, first):
        for finding in one.judgement.judged:
            positions.setdefault(finding, []).append(position)
    merged = [FoundOnce(finding, tuple(where)) for finding, where in positions.items()]
    everywhere = tuple(range(first, first + len(judged)))
    faults = (fault for fault in _comment_faults(paste, judged, catalog, settings) if settings.shows(fault))
    return [*merged, *(FoundOnce(Judged(fault), everywhere) for fault in faults)]


def _comment_faults(
    paste: Paste, judged: list[JudgedLaunch], catalog: Catalog, settings: LintSettings
) -> Iterator[Finding]:
    """Yield the faults of ignore comments; one used in any variant of a script is used."""
    found = [directive for one in judged for directive in one.judgement.directives]
    tied = {directive.location for directive in found}
    found += [untied for untied in directives(paste.comments) if untied.location not in tied]
    shared = {directive.location: directive for directive in found}
    for directive in found:
        shared[directive.location].used |= directive.used
    names = {finding.name for one in judged for finding in one.judgement.findings}
    undecided = [outcome.rule for one in judged for outcome in one.judgement.not_checked]
    unasked = [rule for rule in catalog.rules if not settings.wants(rule)]
    silent = frozenset(key for rule in (*undecided, *unasked) for key in (rule.name, rule.id))
    return directive_findings(shared.values(), catalog, names, silent)

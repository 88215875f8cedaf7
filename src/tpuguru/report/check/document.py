"""The check report as a document: verdict first, then settings, program, what was not checked."""

from collections.abc import Iterator

from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.report.check.document_program import program_sections
from tpuguru.report.check.document_rehearsal import rehearsal_section
from tpuguru.report.check.figures import LEVELS_IN_WORDS, figure_text, source_text
from tpuguru.report.contracts.check import CheckReport, SettingRecord, WhatIfRecord
from tpuguru.report.contracts.common import FindingRecord
from tpuguru.report.rendering.document import Document, Line, Section, Tone

_VERDICT_TONES = {
    "fits": Tone.GOOD,
    "rejected": Tone.BAD,
    "does_not_fit": Tone.BAD,
    "failed": Tone.BAD,
    "not_compiled": Tone.WARNING,
}
_SEVERITY_TONES = {"critical": Tone.BAD, "warn": Tone.WARNING, "info": Tone.QUIET}


def check_document(report: CheckReport) -> Document:
    """Return the document; sections with nothing to say are left out."""
    sections = (
        _what_if(report),
        _settings(report),
        _findings(report),
        _mesh_and_batch(report),
        rehearsal_section(report),
        *program_sections(report),
        _filled_in(report),
        _not_checked(report),
        _runs(report),
        Section("Levels", (Line(LEVELS_IN_WORDS, Tone.QUIET),)),
    )
    return Document(_title(report), tuple(_head(report)), tuple(filter(None, sections)))


def _title(report: CheckReport) -> str:
    target = report.target
    where = ""
    if target is not None:
        where = (
            f" on {target.slice}: {_count(target.chips, 'chip')}, {_count(target.devices, 'device')}, "
            f"{_count(target.hosts, 'host')}" + (f", {target.slices} slices" if target.slices > 1 else "")
        )
    variant = f" [{report.input.variant}]" if report.input.variant else ""
    return f"tpuguru check {report.input.path}{variant} · {report.input.framework}{where}"


def _head(report: CheckReport) -> Iterator[Line]:
    verdict = report.verdict
    yield Line(f"Verdict: {verdict.sentence}", _VERDICT_TONES[verdict.outcome])
    if verdict.message and verdict.message not in verdict.sentence:
        yield Line(f"{verdict.code or 'it says'}: {verdict.message}", Tone.QUIET)
    if report.stack is not None:
        versions = " · ".join(f"{name} {version}" for name, version in report.stack.versions.items())
        yield Line(f"Stack: {report.stack.toolchain}" + (f" ({versions})" if versions else ""), Tone.QUIET)
    for figure, name in ((verdict.need, "need"), (verdict.limit, "limit")):
        if figure is not None:
            yield Line(f"{name} {figure_text(figure)} {source_text(figure)}", Tone.QUIET)


def _what_if(report: CheckReport) -> Section | None:
    if not report.what_if:
        return None
    ranked = sorted(report.what_if, key=lambda tried: tried.outcome != "fits")
    return Section("Single changes, each tried by compiling", tuple(_tried(tried) for tried in ranked))


def _tried(tried: WhatIfRecord) -> Line:
    tone = Tone.GOOD if tried.outcome == "fits" else Tone.QUIET
    return Line(f"{tried.change}: {tried.sentence}", tone)


def _settings(report: CheckReport) -> Section | None:
    shown = [setting for setting in report.settings if setting.status in ("dead", "redundant", "overridden")]
    if not report.settings:
        return None
    proved = sum(setting.status not in ("not_proved", "overridden") for setting in report.settings)
    live = sum(setting.status in ("live", "needed") for setting in report.settings)
    dead = sum(setting.status == "dead" for setting in report.settings)
    summary = f"{len(report.settings)} settings written: {live} live, {dead} proved dead"
    if proved == 0:
        summary = f"{len(report.settings)} settings written; none was put to the proof (--prove fast)"
    lines = [Line(summary), *(line for setting in shown for line in _setting(setting))]
    outside = [setting.key for setting in report.settings if setting.status == "outside_program"]
    if outside:
        lines.append(Line(f"act outside the compiled step: {', '.join(outside)}", Tone.QUIET))
    same = [setting.key for setting in report.settings if setting.status == "default"]
    if same:
        lines.append(Line(f"equal to the default: {', '.join(same)}", Tone.QUIET))
    return Section("Settings that do nothing", tuple(lines))


def _setting(setting: SettingRecord) -> Iterator[Line]:
    place = f" ({_place(setting)})" if setting.location else ""
    proof = f": {setting.proof}" if setting.proof else ""
    yield Line(f"{setting.status.upper()} {setting.key}={setting.value}{place}{proof}", Tone.WARNING)
    if setting.reason:
        yield Line(f"why: {setting.reason}", indent=1)
    if setting.makes_live:
        yield Line(f"to make it act: {setting.makes_live}", indent=1)


def _place(setting: SettingRecord) -> str:
    location = setting.location
    return f"{location.path}:{location.line}:{location.column}" if location else ""


def _findings(report: CheckReport) -> Section | None:
    lines = [line for finding in report.findings for line in _finding(finding)]
    return Section("Findings", tuple(lines)) if lines else None


def _finding(finding: FindingRecord) -> Iterator[Line]:
    place = finding.location
    where = f" ({place.path}:{place.line}:{place.column})" if place else ""
    sign = LEVEL_SIGNS.get(finding.level, "")
    borderline = " borderline" if finding.verdict == "borderline" else ""
    yield Line(
        f"{finding.severity.upper()}{borderline} {finding.name}: {finding.title} {sign}{where}",
        _SEVERITY_TONES.get(finding.severity, Tone.PLAIN),
    )
    parts = (
        ("", finding.message),
        ("setting: ", finding.setting),
        ("cost: ", finding.cost),
        ("fix: ", finding.fix),
    )
    for label, text in parts:
        if text and text != finding.title:
            yield Line(f"{label}{' '.join(text.split())}", indent=1)
    for evidence in finding.evidence:
        yield Line(f"{evidence.fact} = {evidence.value} ({evidence.origin})", Tone.QUIET, indent=1)


def _mesh_and_batch(report: CheckReport) -> Section | None:
    lines: list[Line] = []
    if report.mesh is not None:
        axes = [
            f"{axis.axis} {axis.ici}" + (f"×{axis.dcn} DCN" if axis.dcn > 1 else "")
            for axis in report.mesh.axes
        ]
        lines.append(Line(f"mesh: {', '.join(axes) if axes else 'one device along every axis'}"))
        lines += [
            Line(f"{key} is dropped without a word: the mesh has no such axis", Tone.WARNING)
            for key in report.mesh.dropped
        ]
    batch = report.batch
    if batch is not None and batch.trained is not None:
        tokens = f", {figure_text(batch.tokens_per_step)}" if batch.tokens_per_step else ""
        lines.append(
            Line(f"per step: {figure_text(batch.trained)} trained{tokens} {source_text(batch.trained)}")
        )
    if batch is not None and batch.sentence:
        lines.append(Line(batch.sentence, Tone.WARNING))
    return Section("Mesh and batch", tuple(lines)) if lines else None


def _filled_in(report: CheckReport) -> Section | None:
    if not report.filled_in:
        return None
    return Section("Filled in by tpuguru", tuple(Line(text) for text in report.filled_in))


def _not_checked(report: CheckReport) -> Section | None:
    lines = [Line(f"{entry.what}: {entry.because}", Tone.QUIET) for entry in report.not_checked]
    lines += [Line(error, Tone.BAD) for error in report.errors]
    return Section("Not checked", tuple(lines)) if lines else None


def _runs(report: CheckReport) -> Section | None:
    if not report.runs:
        return None
    phases = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.phases.items())
    lines = [
        Line(
            f"{run.run_id}: {run.state}"
            + (", answered from the store" if run.cached else f", {run.seconds:.1f} s")
        )
        for run in report.runs
    ]
    if phases:
        lines.append(Line(f"phases (wall clock of this machine): {phases}", Tone.QUIET))
    return Section("Runs", tuple(lines))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

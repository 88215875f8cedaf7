"""A run as the contract ``findings/v1``."""

from collections import Counter
from typing import Literal

from tpuguru.base.errors import TpuguruError
from tpuguru.facts.finding import Verdict
from tpuguru.facts.schema import Stage
from tpuguru.facts.vocabulary import vocabulary
from tpuguru.report.contracts.common import finding_record, location_record, tool_record
from tpuguru.report.contracts.findings import (
    ErrorRecord,
    InputRecord,
    LaunchRecord,
    LintFindingRecord,
    LintReport,
    NoteRecord,
    RuleNotChecked,
    SummaryRecord,
    SuppressionRecord,
)
from tpuguru.report.lint.judge import Suppression
from tpuguru.report.lint.run import FoundOnce, JudgedLaunch, LintRun


def lint_report(run: LintRun) -> LintReport:
    """Return the report of a run."""
    not_checked = _not_checked(run)
    return LintReport(
        tool=tool_record(),
        inputs=tuple(InputRecord(paste.path, paste.kind) for paste in run.pastes),
        launches=tuple(_launch_record(judged) for judged in run.launches),
        findings=tuple(_finding_record(found) for found in run.findings),
        not_checked=not_checked,
        notes=_notes(run),
        errors=run.errors,
        summary=_summary(run, len(not_checked)),
    )


def error_record(error: TpuguruError) -> ErrorRecord:
    """Convert an error."""
    return ErrorRecord(error.message, int(error.exit_code), location_record(error.location), error.help or "")


def error_report(error: TpuguruError) -> LintReport:
    """Return the report of a run that an error stopped."""
    return LintReport(tool=tool_record(), errors=(error_record(error),))


def _launch_record(judged: JudgedLaunch) -> LaunchRecord:
    launch = judged.launch
    accelerator = judged.facts.get("launch.slice")
    return LaunchRecord(
        judged.paste.path,
        launch.framework,
        launch.entry_point,
        launch.variant,
        accelerator.value if isinstance(accelerator.value, str) else "",
        location_record(launch.location),
    )


def _finding_record(found: FoundOnce) -> LintFindingRecord:
    judged = found.judged
    common = finding_record(judged.finding)
    return LintFindingRecord(
        **{name: getattr(common, name) for name in common.__struct_fields__},
        fingerprint=found.fingerprint,
        baseline="unchanged" if found.in_baseline else "new",
        suppression=_suppression_record(judged.suppression),
        explained_by=judged.explained_by,
        replacement=judged.replacement,
        launches=found.launches,
    )


def _suppression_record(suppression: Suppression | None) -> SuppressionRecord | None:
    if suppression is None:
        return None
    return SuppressionRecord(suppression.kind, suppression.reason, location_record(suppression.location))


def _not_checked(run: LintRun) -> tuple[RuleNotChecked, ...]:
    """Return each undecided rule once, with the launches it is undecided for."""
    outcomes = {
        outcome.rule.name: outcome for judged in run.launches for outcome in judged.judgement.not_checked
    }
    return tuple(
        RuleNotChecked(
            what=name,
            because=f"needs {'; '.join(outcome.needs)}",
            id=outcome.rule.id,
            title=outcome.rule.title,
            facts=outcome.missing,
            stage=_stage(outcome.missing),
            launches=_undecided_in(run, name),
        )
        for name, outcome in outcomes.items()
    )


def _stage(missing: tuple[str, ...]) -> Literal["said", "compiled", "rehearsed", "observed"]:
    """Return the latest of the sources that settle the missing facts."""
    fields = (vocabulary().get(name) for name in missing)
    stages = {field.stage for field in fields if field is not None}
    if Stage.OBSERVED in stages:
        return "observed"
    if Stage.REHEARSED in stages:
        return "rehearsed"
    return "compiled" if Stage.COMPILED in stages else "said"


def _undecided_in(run: LintRun, name: str) -> tuple[int, ...]:
    return tuple(
        position
        for position, judged in enumerate(run.launches)
        if any(outcome.rule.name == name for outcome in judged.judgement.not_checked)
    )


def _notes(run: LintRun) -> tuple[NoteRecord, ...]:
    notes = [note for paste in run.pastes for note in paste.notes]
    notes += [note for judged in run.launches for note in judged.launch.notes]
    return tuple(
        NoteRecord(note.kind, note.message, location_record(note.location)) for note in dict.fromkeys(notes)
    )


def _summary(run: LintRun, not_checked: int) -> SummaryRecord:
    counting = [found.judged.finding for found in run.findings if found.counts]
    severities = Counter(finding.severity.value for finding in counting)
    return SummaryRecord(
        critical=severities["critical"],
        warn=severities["warn"],
        info=severities["info"],
        suppressed=sum(found.judged.suppression is not None for found in run.findings),
        in_baseline=sum(found.in_baseline for found in run.findings),
        not_checked=not_checked,
    )


def is_borderline(record: LintFindingRecord) -> bool:
    """Tell whether the finding is close to applying, but does not."""
    return record.verdict == Verdict.BORDERLINE.value

"""The report of a check by rehearsal."""

from dataclasses import dataclass

from tpuguru.artifacts.model import Extract
from tpuguru.base.redaction import redact
from tpuguru.facts.factset import Facts
from tpuguru.launch.model import Paste
from tpuguru.report.check import said
from tpuguru.report.check.assemble import input_record, undecided
from tpuguru.report.check.lint import Judged
from tpuguru.report.check.memory import memory_record
from tpuguru.report.check.program import code_path_record, collective_records
from tpuguru.report.check.rehearsed.command import Rehearsable
from tpuguru.report.check.rehearsed.verdict import verdict_of
from tpuguru.report.check.settings import setting_records
from tpuguru.report.contracts.check import CheckReport, RunRecordBrief, StackRecord
from tpuguru.report.contracts.common import NotChecked, finding_record, tool_record
from tpuguru.report.rehearsal.contract import to_contract
from tpuguru.report.rehearsal.view import RehearsalView

_NEVER = (
    ("speed", "a virtual slice has no clock: nothing here says how fast the launch runs"),
    ("numerics", "values are the CPU's or not known: compare logits on the chip"),
    ("which settings do nothing", "a rehearsal runs the launch once: tpuguru prove compares"),
)


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a check by rehearsal has found."""

    paste: Paste
    found: Rehearsable
    facts: Facts
    judged: Judged
    view: RehearsalView


def assemble(work: Rehearsed) -> CheckReport:
    """Return the report: as of a compile, with the step in the program's place, and the rehearsal itself."""
    launch, view = work.found.launch, work.view
    extract = _step(view)
    maxtext = launch.framework == "maxtext"
    return CheckReport(
        tool=tool_record(),
        input=input_record(work.paste, launch),
        verdict=verdict_of(view),
        target=said.target_record(work.facts),
        stack=StackRecord(str(view.rehearsal.interpreter.python), _versions(view)),
        filled_in=tuple(redact(note) for note in work.found.notes),
        settings=setting_records(launch, ()) if maxtext else (),
        findings=tuple(finding_record(finding) for finding in work.judged.findings),
        mesh=said.mesh_record(work.facts) if maxtext else None,
        batch=said.batch_record(work.facts) if maxtext else None,
        code_path=code_path_record(extract.code_path, work.facts) if extract else None,
        collectives=collective_records(extract.collectives) if extract else (),
        memory=memory_record(extract.memory) if extract else None,
        runs=(
            RunRecordBrief(
                view.rehearsal.run_id, view.outcome, round(view.rehearsal.seconds, 3), cached=False
            ),
        ),
        not_checked=_not_checked(work, extract),
        rehearsal=to_contract(view),
    )


def _step(view: RehearsalView) -> Extract | None:
    return next((each.extract for each in view.programs if each.summary == view.main), None)


def _versions(view: RehearsalView) -> dict[str, str]:
    return {name: version for name, version in view.rehearsal.interpreter.versions.items() if version}


def _not_checked(work: Rehearsed, extract: Extract | None) -> tuple[NotChecked, ...]:
    entries = list(undecided(work.judged.cannot_tell, compiled=extract is not None))
    entries += [(other, "one launch a check") for other in work.found.others]
    entries += [(note.kind, note.message) for note in work.found.launch.notes]
    return tuple(NotChecked(redact(what), redact(because)) for what, because in (*entries, *_NEVER))

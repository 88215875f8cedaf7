"""Everything that a report says about a rehearsal, derived from what was kept of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tpuguru.base.errors import NothingToCheckError
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.report.rehearsal.facts import rehearsal_facts
from tpuguru.report.rehearsal.programs import ReadProgram, read_programs
from tpuguru.report.rehearsal.traffic import NO_TRAFFIC, Traffic, traffic_of
from tpuguru.slice.last_places import LastPlace, last_places
from tpuguru.slice.output import OutputSummary, read_output
from tpuguru.slice.peak import PeakSummary, summarise_peak
from tpuguru.slice.record_reader import read_records
from tpuguru.slice.records import Records
from tpuguru.slice.rehearse import Rehearsal
from tpuguru.slice.step import StepSummary, summarise_step
from tpuguru.slice.stored import slice_name
from tpuguru.slice.summary import ProgramSummary, Summary, summarise

type Outcome = Literal["end", "failed", "stopped", "deadlock", "interrupted"]


@dataclass(slots=True)
class RehearsalView:
    """A rehearsal and what was read of it; without ``records`` the program never asked for a TPU."""

    rehearsal: Rehearsal
    slice_name: str
    records: Records | None
    summary: Summary | None
    output: OutputSummary
    programs: tuple[ReadProgram, ...] = ()
    traffic: Traffic = NO_TRAFFIC
    step: StepSummary | None = None
    peak: PeakSummary | None = None
    stops: tuple[LastPlace, ...] = ()
    facts: Facts | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def main(self) -> ProgramSummary | None:
        """The step: the program with the most work among those that ran."""
        return self.summary.main if self.summary else None

    @property
    def steps_done(self) -> bool:
        """Whether it was ended because the wanted number of steps had run."""
        return self.records is not None and self.records.steps_done

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        if self.rehearsal.interrupted:
            return "interrupted"
        if self.rehearsal.deadlocks:
            return "deadlock"
        if self.steps_done:
            return "end"
        if self.rehearsal.reason:
            return "stopped"
        return "failed" if any(code != 0 for code in self.rehearsal.codes) else "end"


def view_of(rehearsal: Rehearsal, say: Callable[[str], None]) -> RehearsalView:
    """Read everything. UsageError when the records are damaged; ``say`` is told what takes long."""
    records = _records(rehearsal)
    view = RehearsalView(
        rehearsal=rehearsal,
        slice_name=slice_name(rehearsal.folder),
        records=records,
        summary=summarise(records, rehearsal.ready_at) if records else None,
        output=read_output(rehearsal.folder / "output.log"),
    )
    if records is not None and view.summary is not None:
        view.programs = read_programs(records, view.summary, say)
        view.traffic = traffic_of(view.programs, view.main)
        view.step = summarise_step(records)
        view.peak = summarise_peak(records)
        view.stops = last_places(records)
    view.facts = rehearsal_facts(view)
    return view


def _records(rehearsal: Rehearsal) -> Records | None:
    try:
        records = read_records(rehearsal.records)
    except NothingToCheckError:
        return None
    return records if records.clients else None

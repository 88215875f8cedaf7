"""The section about what the launch did on a virtual slice."""

from collections.abc import Iterator

from tpuguru.base.units import format_bytes
from tpuguru.report.contracts.check import CheckReport
from tpuguru.report.contracts.rehearsal import AxisEntry, PeakEntry, RehearsalReport, StepEntry
from tpuguru.report.rehearsal.words import counted, short
from tpuguru.report.rendering.document import Line, Section, Tone

_MOST_PARTS = 5
_MOST_AXES = 5
_MOST_WARNINGS = 5
_MOST_LATE = 5


def rehearsal_section(report: CheckReport) -> Section | None:
    """Return the section; None when the launch was not rehearsed."""
    rehearsal = report.rehearsal
    return Section("Rehearsed on a virtual slice", tuple(_lines(rehearsal))) if rehearsal else None


def _lines(rehearsal: RehearsalReport) -> Iterator[Line]:
    if rehearsal.slice is not None:
        yield Line(
            f"{counted(rehearsal.slice.devices, 'device')} {rehearsal.slice.device_kind}, "
            f"processes: {rehearsal.slice.processes}"
        )
    if rehearsal.step is not None:
        yield from _step(rehearsal.step)
    if rehearsal.peak is not None:
        yield from _peak(rehearsal.peak)
    yield from _late(rehearsal)
    for warning in rehearsal.warnings[:_MOST_WARNINGS]:
        yield Line(f"warning, {warning.count} ×: {warning.text[:160]}", Tone.WARNING)
    for stop in rehearsal.stops if rehearsal.ending.how != "end" else ():
        yield Line(f"process {stop.process} stopped after {stop.program or 'nothing'} ({short(stop.python)})")
    yield Line(f"all of it: tpuguru rehearse --show {rehearsal.run_id}", Tone.QUIET)


def _step(step: StepEntry) -> Iterator[Line]:
    yield Line(f"step: {step.program}, {counted(step.runs, 'time')} on each device")
    if step.reads is not None and step.writes is not None:
        read_by = f" by {', '.join(short(each.python) for each in step.readers[:3])}" if step.readers else ""
        yield Line(
            f"in each: {counted(step.writes, 'array')} to the devices, "
            f"{counted(step.reads, 'array')} read back{read_by}",
            indent=1,
        )
    yield from (_axis(row) for row in step.collectives[:_MOST_AXES])


def _axis(row: AxisEntry) -> Line:
    return Line(
        f"{row.kind} over {' × '.join(row.axes)} ({row.network}): {format_bytes(row.payload)}, "
        f"each device sends at least {format_bytes(row.sent)}",
        indent=1,
    )


def _peak(peak: PeakEntry) -> Iterator[Line]:
    running = f" while {peak.program} ran" if peak.program else ""
    yield Line(f"alive at the peak of device {peak.device}{running}, {format_bytes(peak.bytes)}:")
    for part in peak.parts[:_MOST_PARTS]:
        times = f" × {part.count}" if part.count > 1 else ""
        place = f" ({short(part.python)})" if part.python else ""
        yield Line(f"{format_bytes(part.bytes)}  {part.what}{times}, made by {part.maker}{place}", indent=1)


def _late(rehearsal: RehearsalReport) -> Iterator[Line]:
    for late in rehearsal.late_compiles[:_MOST_LATE]:
        change = f": {late.change}" if late.change else ""
        yield Line(f"compiled after the first step: {late.name}{change}", Tone.WARNING)

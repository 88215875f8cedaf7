"""The details of a rehearsal as text: programs, late compiles, devices, warnings, what was read, errors."""

from collections.abc import Iterator

from tpuguru.base.redaction import redact
from tpuguru.base.units import format_bytes
from tpuguru.report.rehearsal.program_text import program_lines
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.report.rehearsal.words import counted, short
from tpuguru.slice.last_places import LastPlace
from tpuguru.slice.output import OutputSummary
from tpuguru.slice.records import Records, UnknownRead
from tpuguru.slice.summary import DeviceSummary, Summary

_MOST_PROGRAMS = 8
_MOST_LATE = 10
_MOST_UNKNOWN = 10
_MOST_WARNINGS = 8
_MOST_STOPS = 8
_SAME = 0.9


def details_lines(view: RehearsalView) -> Iterator[str]:
    """Yield everything below the first screen."""
    if view.records is None or view.summary is None:
        return
    yield from _programs(view)
    yield from _late(view.summary)
    yield from _devices(view.summary.devices)
    yield from _transfers(view.summary)
    yield from _warnings(view.output)
    yield from _unknown(view.records)
    yield from _errors(view.records)
    yield from _stops(view)


def _programs(view: RehearsalView) -> Iterator[str]:
    programs = view.programs
    runs = sum(each.summary.executions for each in programs)
    seconds = view.summary.compile_seconds if view.summary else 0.0
    yield f"programs: {len(programs)} different, {runs} executions, {seconds:.1f} s of compiling"
    for program in programs[:_MOST_PROGRAMS]:
        yield from (f"  {line}" for line in program_lines(program, detailed=program.summary == view.main))
    if len(programs) > _MOST_PROGRAMS:
        yield f"  … {len(programs) - _MOST_PROGRAMS} smaller ones"


def _late(summary: Summary) -> Iterator[str]:
    if not summary.late:
        return
    seconds = sum(each.seconds for each in summary.late)
    mark = "the server said it was ready" if summary.ready else "the first step"
    yield f"compiled after {mark}: {counted(len(summary.late), 'program')}, {seconds:.1f} s"
    for each in summary.late[:_MOST_LATE]:
        change = f" – {each.change}" if each.change else ""
        yield f"  {each.name}{change}  ({short(each.python) or 'no Python line'})"
    if len(summary.late) > _MOST_LATE:
        yield f"  … {len(summary.late) - _MOST_LATE} more"


def _devices(devices: tuple[DeviceSummary, ...]) -> Iterator[str]:
    """Say how evenly the devices were used; nothing when they all did the same."""
    total = sum(each.flops for each in devices)
    most = max(devices, key=lambda each: each.flops, default=None)
    if most is None or not total or len(devices) < 2:
        return
    least = min(devices, key=lambda each: each.flops)
    if least.flops >= most.flops * _SAME:
        return
    yield (
        f"devices: device {most.device} did {most.flops / total:.0%} of the arithmetic in "
        f"{most.executions} executions, device {least.device} {least.flops / total:.0%} in "
        f"{least.executions}"
    )


def _transfers(summary: Summary) -> Iterator[str]:
    yield (
        f"transfers: {format_bytes(summary.to_device_bytes)} to the devices, "
        f"{format_bytes(summary.to_host_bytes)} to the host"
    )


def _warnings(output: OutputSummary) -> Iterator[str]:
    if not output.warnings:
        return
    count = len(output.warnings) + output.more_warnings
    yield f"warnings in the output: {count} different"
    for each in output.warnings[:_MOST_WARNINGS]:
        place = f"  ({short(each.place)})" if each.place else ""
        yield f"  {each.count} × {redact(each.text[:160])}{place}"


def _unknown(records: Records) -> Iterator[str]:
    reads = records.unknown_reads
    if not reads:
        return
    yield f"values read that are not known here: {len(reads)}"
    for each in sorted(reads, key=lambda read: not read.ended)[:_MOST_UNKNOWN]:
        line = short(each.python) or "the program"
        yield f"  {line}: {each.array} of {each.maker} ({each.reason}){_told(each)}"
    if len(reads) > _MOST_UNKNOWN:
        yield f"  … {len(reads) - _MOST_UNKNOWN} more"


def _told(read: UnknownRead) -> str:
    """Say how often a line asked, and what it was told."""
    asked = f", asked {read.count} times" if read.count > 1 else ""
    if read.ended:
        return f"{asked}; told {read.told}, and then {read.ended} so that its loop ends"
    passing = " so that its check passes" if read.use == "assert" else ""
    return f"{asked}; told {read.told}{passing}" if read.told else asked


def _errors(records: Records) -> Iterator[str]:
    for error in records.errors:
        doing = "compiling" if error.kind == "compile" else "running"
        yield f"error when {doing}: {redact(error.message)}"


def _stops(view: RehearsalView) -> Iterator[str]:
    """Say where each process was last; of a program that ended well there is nothing to say."""
    if view.outcome == "end":
        return
    yield "where it stopped:"
    yield from (f"  {_stop(stop)}" for stop in view.stops[:_MOST_STOPS])
    if len(view.stops) > _MOST_STOPS:
        yield f"  … {len(view.stops) - _MOST_STOPS} more processes"


def _stop(stop: LastPlace) -> str:
    what = f"failed in {stop.failed}" if stop.failed else f"last ran {stop.program or 'nothing'}"
    killed = "" if stop.ended else ", then was killed"
    place = short(stop.python) or "no Python line"
    return f"process {stop.process}, at {stop.seconds:.1f} s: {what} ({place}){killed}"

"""A rehearsal's report as text."""

from collections.abc import Iterator

from tpuguru.base.units import format_bytes
from tpuguru.slice.records import Records
from tpuguru.slice.rehearse import Rehearsal
from tpuguru.slice.summary import ProgramSummary, Summary

_MOST_PROGRAMS = 8
_MOST_LATE = 10
_MOST_UNKNOWN = 10


def rehearsal_text(rehearsal: Rehearsal, records: Records | None, summary: Summary | None) -> str:
    """Return the report; without records the program never asked for a TPU."""
    lines = [*_ending(rehearsal)]
    if records is None or summary is None:
        lines.append("no TPU: the program never asked for one (is JAX_PLATFORMS overridden in it?)")
    else:
        lines += [*_slice(records), *_memory(summary), *_programs(summary), *_late(summary)]
        lines += [*_transfers(summary), *_unknown(records), *_errors(records), *_hint(rehearsal, records)]
    lines += [f"note: {note}" for note in rehearsal.notes]
    if rehearsal.blanked:
        lines.append(f"{rehearsal.blanked} times or rates in the output were blanked: here they mean nothing")
    lines.append(f"rehearsal {rehearsal.run_id}: {rehearsal.folder}")
    return "\n".join(lines)


def _ending(rehearsal: Rehearsal) -> Iterator[str]:
    if rehearsal.interrupted:
        yield "interrupted"
    elif rehearsal.deadlocks:
        for each in rehearsal.deadlocks:
            certainty = "deadlock" if each["certain"] else "probable deadlock"
            yield f"{certainty}: {each['program']} was not entered by every rank"
            yield from (f"  waits    {rank}" for rank in each["waiting"])
            yield from (f"  missing  {rank}" for rank in each["missing"])
    elif rehearsal.reason:
        yield f"stopped: {rehearsal.reason}"
    elif any(rehearsal.codes):
        codes = ", ".join(f"rank {rank}: {code}" for rank, code in enumerate(rehearsal.codes) if code)
        yield f"the program failed (exit code of {codes})"
    else:
        yield f"ran to its end in {rehearsal.seconds:.0f} s of this machine's time"
    if rehearsal.network_objection:
        yield f"note: the network could not be switched off here: {rehearsal.network_objection}"


def _slice(records: Records) -> Iterator[str]:
    first = records.clients[0]
    slices = f"{first.slices} × " if first.slices > 1 else ""
    yield (
        f"slice: {slices}{first.topology}, {first.all_devices} devices {first.device_kind}, "
        f"{len(records.clients)} process{'es' if len(records.clients) > 1 else ''}"
    )


def _memory(summary: Summary) -> Iterator[str]:
    if not summary.devices:
        return
    most = max(summary.devices, key=lambda each: each.peak_bytes)
    least = min(summary.devices, key=lambda each: each.peak_bytes)
    share = f" of {format_bytes(most.limit_bytes)}" if most.limit_bytes else ""
    about = "" if most.exact else " (at least; its process did not end in order)"
    yield f"memory: peak {format_bytes(most.peak_bytes)}{share} on device {most.device}{about}"
    if most.peak_bytes and least.peak_bytes < most.peak_bytes / 2:
        unused = sum(1 for each in summary.devices if each.peak_bytes == 0)
        what = f"{unused} devices were never used" if unused else f"device {least.device} held little"
        yield f"  uneven: {what} (least: {format_bytes(least.peak_bytes)})"


def _programs(summary: Summary) -> Iterator[str]:
    runs = sum(each.executions for each in summary.programs)
    yield (
        f"programs: {len(summary.programs)} different, {runs} executions, "
        f"{summary.compile_seconds:.1f} s of compiling"
    )
    for program in summary.programs[:_MOST_PROGRAMS]:
        yield f"  {_program(program)}"
    if len(summary.programs) > _MOST_PROGRAMS:
        yield f"  … {len(summary.programs) - _MOST_PROGRAMS} smaller ones"


def _program(program: ProgramSummary) -> str:
    how = "from an earlier run" if program.cached else f"{program.compile_seconds:.1f} s"
    return (
        f"{program.name}: {program.executions} ×, peak {format_bytes(program.peak_bytes)} "
        f"(arguments {format_bytes(program.argument_bytes)}, "
        f"temporaries {format_bytes(program.temporary_bytes)}), "
        f"{program.donated} donated, {how}"
    )


def _late(summary: Summary) -> Iterator[str]:
    if not summary.late:
        return
    seconds = sum(each.seconds for each in summary.late)
    mark = "the server said it was ready" if summary.ready else "the first step"
    yield f"compiled after {mark}: {len(summary.late)} programs, {seconds:.1f} s"
    for each in summary.late[:_MOST_LATE]:
        change = f" – {each.change}" if each.change else ""
        yield f"  {each.name}{change}  ({each.python or 'no Python line'})"


def _transfers(summary: Summary) -> Iterator[str]:
    yield (
        f"transfers: {format_bytes(summary.to_device_bytes)} to the devices, "
        f"{format_bytes(summary.to_host_bytes)} to the host"
    )


def _unknown(records: Records) -> Iterator[str]:
    if not records.unknown_reads:
        return
    yield f"values read that are not known here (they read as NaN or 0): {len(records.unknown_reads)}"
    for each in records.unknown_reads[:_MOST_UNKNOWN]:
        yield f"  {each.python or 'the program'}: {each.array} of {each.maker} ({each.reason})"


def _hint(rehearsal: Rehearsal, records: Records) -> Iterator[str]:
    """Say what may have led a failed program astray."""
    if records.unknown_reads and any(rehearsal.codes) and not rehearsal.reason:
        yield "help: did it stop because of NaN? --unknown zero reads unknown floats as 0"


def _errors(records: Records) -> Iterator[str]:
    for error in records.errors:
        if error.kind != "steps":
            yield f"error when {'compiling' if error.kind == 'compile' else 'running'}: {error.message}"

"""A rehearsal as the contract ``rehearsal/v1``."""

from collections.abc import Iterable
from typing import Literal

from tpuguru.base.redaction import redact
from tpuguru.report.contracts import rehearsal as contract
from tpuguru.report.contracts.common import finding_record
from tpuguru.report.contracts.extract import to_contract as extract_report
from tpuguru.report.contracts.timeline import to_timeline
from tpuguru.report.rehearsal.programs import ReadProgram
from tpuguru.report.rehearsal.traffic import AxisBytes
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.slice.output import OutputSummary
from tpuguru.slice.peak import PeakSummary
from tpuguru.slice.records import Records
from tpuguru.slice.summary import Summary


def to_contract(view: RehearsalView) -> contract.RehearsalReport:
    """Turn a rehearsal into the contract."""
    rehearsal, records, summary = view.rehearsal, view.records, view.summary
    return contract.RehearsalReport(
        run_id=rehearsal.run_id,
        folder=str(rehearsal.folder),
        versions=rehearsal.interpreter.versions,
        ending=contract.EndingRecord(
            view.outcome, rehearsal.reason, rehearsal.codes, round(rehearsal.seconds, 3)
        ),
        slice=_slice(records) if records else None,
        programs=[_program(each) for each in view.programs],
        late_compiles=_late(summary) if summary else [],
        devices=_devices(summary) if summary else [],
        compile_seconds=summary.compile_seconds if summary else 0.0,
        to_device=summary.to_device_bytes if summary else 0,
        to_host=summary.to_host_bytes if summary else 0,
        unknown_reads=_unknown_reads(records) if records else [],
        deadlocks=[
            contract.DeadlockEntry(e["program"], e["waiting"], e["missing"], e["certain"])
            for e in rehearsal.deadlocks
        ],
        errors=_errors(records) if records else [],
        blanked_figures=rehearsal.blanked,
        network_objection=rehearsal.network_objection,
        timeline=to_timeline(records) if records else None,
        findings=[finding_record(finding) for finding in view.findings],
        peak=_peak(view.peak) if view.peak else None,
        step=_step(view),
        notes=list(rehearsal.notes),
        ready=bool(rehearsal.ready_at),
        warnings=_warnings(view.output),
        stops=[
            contract.StopEntry(e.process, e.seconds, e.program, e.python, e.ended, e.failed)
            for e in view.stops
        ],
        tracebacks=[
            contract.TracebackEntry(e.rank, redact(e.exception), e.raised_at, e.user_line)
            for e in view.output.tracebacks
        ],
    )


def _slice(records: Records) -> contract.SliceRecord:
    first = records.clients[0]
    return contract.SliceRecord(
        first.topology, first.slices, first.all_devices, first.device_kind, len(records.clients)
    )


def _program(read: ReadProgram) -> contract.ProgramEntry:
    program = read.summary
    return contract.ProgramEntry(
        name=program.name,
        folder=program.folder,
        loads=program.loads,
        executions=program.executions,
        compile_seconds=program.compile_seconds,
        cached=program.cached,
        flops=program.flops,
        peak=program.peak_bytes,
        arguments=program.argument_bytes,
        temporaries=program.temporary_bytes,
        code=program.code_bytes,
        donated=program.donated,
        argument_types=list(program.arguments),
        python=program.python,
        runs=program.runs,
        extract=extract_report(read.extract) if read.extract else None,
        not_read=read.because,
    )


def _late(summary: Summary) -> list[contract.LateCompileEntry]:
    return [
        contract.LateCompileEntry(e.name, e.seconds, e.python, e.change, e.cause, e.heavy)
        for e in summary.late
    ]


def _devices(summary: Summary) -> list[contract.DeviceEntry]:
    return [
        contract.DeviceEntry(
            e.device, e.peak_bytes, e.limit_bytes, e.code_bytes, e.exact, e.executions, e.flops
        )
        for e in summary.devices
    ]


def _unknown_reads(records: Records) -> list[contract.UnknownReadEntry]:
    return [
        contract.UnknownReadEntry(e.array, e.maker, e.python, e.reason, _use(e.use), e.told, e.count, e.ended)
        for e in records.unknown_reads
    ]


def _use(word: str) -> Literal["", "assert", "loop"]:
    return "assert" if word == "assert" else "loop" if word == "loop" else ""


def _errors(records: Records) -> list[contract.ErrorEntry]:
    return [contract.ErrorEntry(e.kind, e.where, redact(e.message), e.python) for e in records.errors]


def _peak(peak: PeakSummary) -> contract.PeakEntry:
    parts = [contract.PeakPartEntry(e.what, e.bytes, e.count, e.maker, e.python) for e in peak.parts]
    return contract.PeakEntry(peak.device, peak.bytes, peak.live_bytes, peak.program, parts)


def _step(view: RehearsalView) -> contract.StepEntry | None:
    if view.main is None:
        return None
    step = view.step
    return contract.StepEntry(
        program=view.main.name,
        runs=view.main.runs,
        programs=step.programs if step else None,
        reads=step.reads if step else None,
        read_bytes=step.read_bytes if step else None,
        writes=step.writes if step else None,
        write_bytes=step.write_bytes if step else None,
        readers=[contract.ReaderEntry(e.python, e.count, e.bytes) for e in (step.readers if step else ())],
        collectives=_axes(view.traffic.each_step),
        beside=_axes(view.traffic.beside),
    )


def _axes(rows: Iterable[AxisBytes]) -> list[contract.AxisEntry]:
    return [
        contract.AxisEntry(list(e.axes), e.kind, e.network, e.executions, e.payload, e.sent, list(e.programs))
        for e in rows
    ]


def _warnings(output: OutputSummary) -> list[contract.WarningEntry]:
    return [contract.WarningEntry(redact(e.text), e.place, e.count, list(e.ranks)) for e in output.warnings]

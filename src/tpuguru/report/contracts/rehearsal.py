"""The contract ``rehearsal/v1``: what a program did on a virtual slice. Bytes are per device."""

from typing import Literal

import msgspec

from tpuguru.report.contracts.timeline import TimelineReport, to_timeline
from tpuguru.slice.records import Records
from tpuguru.slice.rehearse import Rehearsal
from tpuguru.slice.summary import Summary


class SliceRecord(msgspec.Struct, frozen=True):
    """The slice as libtpu described it to the program."""

    topology: str
    slices: int
    devices: int
    device_kind: str
    processes: int


class EndingRecord(msgspec.Struct, frozen=True):
    """How it ended. ``codes`` are the ranks' exit codes (negative: a signal; null: not known)."""

    how: Literal["end", "failed", "stopped", "deadlock", "interrupted"]
    reason: str
    codes: list[int | None]
    seconds: float


class ProgramEntry(msgspec.Struct, frozen=True):
    """One program: all its loads and executions. ``folder`` is below the records' programs/."""

    name: str
    folder: str
    loads: int
    executions: int
    compile_seconds: float
    cached: bool
    flops: float
    peak: int
    arguments: int
    temporaries: int
    code: int
    donated: int
    argument_types: list[str]
    python: str


class LateCompileEntry(msgspec.Struct, frozen=True):
    """A program compiled late, and what differs from the last of its name.

    Late is after the server was ready (the report's ``ready``), or else after the main program had run.
    """

    name: str
    seconds: float
    python: str
    change: str


class DeviceEntry(msgspec.Struct, frozen=True):
    """A device's peak. Not ``exact``: its process was killed, and the peak is of the samples it left."""

    device: int
    peak: int
    limit: int
    code: int
    exact: bool


class UnknownReadEntry(msgspec.Struct, frozen=True):
    """A value that the program read and that is not known here."""

    array: str
    maker: str
    python: str
    reason: str


class DeadlockEntry(msgspec.Struct, frozen=True):
    """A collective that some rank never entered: who waits, and where the others are."""

    program: str
    waiting: list[str]
    missing: list[str]
    certain: bool


class ErrorEntry(msgspec.Struct, frozen=True):
    """An error of compiling or running."""

    kind: str
    where: str
    message: str
    python: str


class RehearsalReport(msgspec.Struct, frozen=True, rename={"schema_name": "schema"}):
    """The whole rehearsal; ``slice`` is null when the program never asked for a TPU."""

    run_id: str
    folder: str
    versions: dict[str, str]
    ending: EndingRecord
    slice: SliceRecord | None
    programs: list[ProgramEntry]
    late_compiles: list[LateCompileEntry]
    devices: list[DeviceEntry]
    compile_seconds: float
    to_device: int
    to_host: int
    unknown_reads: list[UnknownReadEntry]
    deadlocks: list[DeadlockEntry]
    errors: list[ErrorEntry]
    blanked_figures: int
    network_objection: str
    timeline: TimelineReport | None
    ready: bool = False
    """Whether a server said it was ready: late compiles count from there."""
    schema_name: Literal["rehearsal/v1"] = "rehearsal/v1"


def to_contract(rehearsal: Rehearsal, records: Records | None, summary: Summary | None) -> RehearsalReport:
    """Turn a rehearsal into the contract."""
    return RehearsalReport(
        run_id=rehearsal.run_id,
        folder=str(rehearsal.folder),
        versions=rehearsal.interpreter.versions,
        ending=EndingRecord(_how(rehearsal), rehearsal.reason, rehearsal.codes, round(rehearsal.seconds, 3)),
        slice=_slice(records) if records else None,
        programs=_programs(summary) if summary else [],
        late_compiles=[LateCompileEntry(e.name, e.seconds, e.python, e.change) for e in summary.late]
        if summary
        else [],
        devices=[
            DeviceEntry(e.device, e.peak_bytes, e.limit_bytes, e.code_bytes, e.exact) for e in summary.devices
        ]
        if summary
        else [],
        compile_seconds=summary.compile_seconds if summary else 0.0,
        to_device=summary.to_device_bytes if summary else 0,
        to_host=summary.to_host_bytes if summary else 0,
        unknown_reads=[
            UnknownReadEntry(e.array, e.maker, e.python, e.reason)
            for e in (records.unknown_reads if records else [])
        ],
        deadlocks=[
            DeadlockEntry(e["program"], e["waiting"], e["missing"], e["certain"]) for e in rehearsal.deadlocks
        ],
        errors=[
            ErrorEntry(e.kind, e.where, e.message, e.python)
            for e in (records.errors if records else [])
            if e.kind != "steps"
        ],
        blanked_figures=rehearsal.blanked,
        network_objection=rehearsal.network_objection,
        timeline=to_timeline(records) if records else None,
        ready=bool(rehearsal.ready_at),
    )


def _how(rehearsal: Rehearsal) -> Literal["end", "failed", "stopped", "deadlock", "interrupted"]:
    if rehearsal.interrupted:
        return "interrupted"
    if rehearsal.deadlocks:
        return "deadlock"
    if rehearsal.reason:
        return "stopped"
    return "failed" if any(code != 0 for code in rehearsal.codes) else "end"


def _slice(records: Records) -> SliceRecord:
    first = records.clients[0]
    return SliceRecord(
        first.topology, first.slices, first.all_devices, first.device_kind, len(records.clients)
    )


def _programs(summary: Summary) -> list[ProgramEntry]:
    return [
        ProgramEntry(
            name=each.name,
            folder=each.folder,
            loads=each.loads,
            executions=each.executions,
            compile_seconds=each.compile_seconds,
            cached=each.cached,
            flops=each.flops,
            peak=each.peak_bytes,
            arguments=each.argument_bytes,
            temporaries=each.temporary_bytes,
            code=each.code_bytes,
            donated=each.donated,
            argument_types=list(each.arguments),
            python=each.python,
        )
        for each in summary.programs
    ]


CONTRACT = ("rehearsal.v1", RehearsalReport)

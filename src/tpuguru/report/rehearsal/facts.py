"""REHEARSED facts of a rehearsal, for the rules."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tpuguru.artifacts.facts import compiled_facts
from tpuguru.base.errors import TpuguruError
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Record, Value
from tpuguru.report.rehearsal.donation import undonated_bytes
from tpuguru.report.rehearsal.words import short
from tpuguru.slice.records import Records
from tpuguru.slice.summary import LateCompile, Summary

if TYPE_CHECKING:
    from tpuguru.report.rehearsal.view import RehearsalView

_MOST_REPLICATED = 10


def rehearsal_facts(view: "RehearsalView") -> Facts:
    """Return what it settles: ``rehearsal.*``, ``compiled.*`` of the step, ``hw.*`` of the slice."""
    facts = Facts()
    main = next((each for each in view.programs if each.summary == view.main), None)
    if main is not None and main.extract is not None:
        facts.update(compiled_facts(main.extract))
    for name, value in _hardware(view):
        facts.put(name, value)
    origin = Origin(OriginKind.OBSERVED, f"rehearsal {view.rehearsal.run_id}")
    for name, content in _all(view):
        facts.put(name, Value(content, origin))
    return facts


def _hardware(view: "RehearsalView") -> Iterator[tuple[str, Value]]:
    from tpuguru.hardware.facts import hardware_facts  # noqa: PLC0415 - read only here
    from tpuguru.hardware.names import parse_slice  # noqa: PLC0415

    try:
        target = parse_slice(view.slice_name)
    except TpuguruError:
        return  # a rehearsal kept by another version, which knew other slices
    yield from hardware_facts(target, Origin(OriginKind.OPTION, f"--slice {view.slice_name}"))


def _all(view: "RehearsalView") -> Iterator[tuple[str, FactValue]]:
    yield "rehearsal.outcome", view.outcome
    yield "rehearsal.warnings", tuple(warning.text for warning in view.output.warnings)
    if view.records is None or view.summary is None:
        return
    yield "launch.framework", _framework(view.records)
    yield "rehearsal.processes", len(view.records.clients)
    yield "rehearsal.programs", len(view.summary.programs)
    yield "rehearsal.unknown_reads", len(view.records.unknown_reads)
    yield from _devices(view.records, view.summary)
    yield from _late(view.summary.late)
    yield from _step(view)
    yield from _main(view, view.records)


def _framework(records: Records) -> str:
    """Return the framework, by the library that asked for the first program."""
    caller = records.programs[0].caller if records.programs else ""
    return "torch_tpu" if caller and "jax" not in caller else "jax"


def _devices(records: Records, summary: Summary) -> Iterator[tuple[str, FactValue]]:
    devices = summary.devices
    yield "rehearsal.devices", records.clients[0].all_devices
    absent = records.clients[0].all_devices - len(devices)  # of processes that never joined
    idle = sum(not each.executions and not each.peak_bytes for each in devices)
    yield "rehearsal.devices_unused", max(absent, 0) + idle
    total = sum(each.flops for each in devices)
    if total:
        yield "rehearsal.busiest_share", max(each.flops for each in devices) / total
    if devices:
        most = max(devices, key=lambda each: each.peak_bytes)
        yield "rehearsal.peak", most.peak_bytes
        yield "rehearsal.least_peak", min((e.peak_bytes for e in devices if e.executions), default=0)
        if most.limit_bytes:
            yield "rehearsal.limit", most.limit_bytes


def _late(late: tuple[LateCompile, ...]) -> Iterator[tuple[str, FactValue]]:
    records: tuple[Record, ...] = tuple(
        {
            "name": each.name,
            "change": each.change,
            "cause": each.cause,
            "heavy": each.heavy,
            "seconds": each.seconds,
            "python": short(each.python),
        }
        for each in late
    )
    shapes = Counter(each.name for each in late if each.cause == "shape" and each.heavy)
    yield "rehearsal.late", records
    yield "rehearsal.late_shapes", shapes.total()
    yield "rehearsal.most_shapes", max(shapes.values(), default=0)


def _step(view: "RehearsalView") -> Iterator[tuple[str, FactValue]]:
    step = view.step
    if step is None:
        return
    yield "rehearsal.programs_per_step", step.programs
    yield "rehearsal.reads_per_step", step.reads
    yield "rehearsal.read_bytes_per_step", step.read_bytes
    yield "rehearsal.writes_per_step", step.writes
    reads: tuple[Record, ...] = tuple({"python": short(e.python), "count": e.count} for e in step.readers)
    yield "rehearsal.reads", reads


def _main(view: "RehearsalView", records: Records) -> Iterator[tuple[str, FactValue]]:
    main = view.main
    if main is None:
        return
    yield "rehearsal.step", main.name
    yield "rehearsal.steps", main.runs
    program = next(each for each in records.programs if each.folder == main.folder)
    undonated = undonated_bytes(program, main.arguments, records.folder / "programs" / main.folder)
    if undonated is not None:
        yield "rehearsal.undonated", undonated
    read = next((each.extract for each in view.programs if each.summary == main), None)
    if read is None or read.memory.parameters.replicated_bytes is None:
        return
    yield "rehearsal.replicated_bytes", read.memory.parameters.replicated_bytes
    replicated: tuple[Record, ...] = tuple(
        {"name": each.name, "shape": each.shape, "bytes": each.bytes}
        for each in read.memory.parameters.replicated[:_MOST_REPLICATED]
    )
    yield "rehearsal.replicated", replicated

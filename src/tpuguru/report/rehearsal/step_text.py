"""The step of a rehearsal as text: programs, transfers, and collectives by mesh axis."""

from collections.abc import Iterable, Iterator

from tpuguru.base.units import format_bytes
from tpuguru.report.rehearsal.traffic import AxisBytes, Traffic
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.report.rehearsal.words import counted, short
from tpuguru.slice.step import StepSummary

_MOST_ROWS = 6
_MOST_READERS = 3


def step_lines(view: RehearsalView) -> Iterator[str]:
    """Yield the lines; none when nothing ran."""
    if view.main is None:
        return
    runs = f"{counted(view.main.runs, 'time')} on each device"
    others = view.step.steps - view.main.runs if view.step and view.step.program == view.main.name else 0
    if others > 0:
        runs += f", and {others} more as compiled for other arguments"
    yield f"step: {view.main.name}, {runs}"
    if view.step is not None:
        yield from _step(view.step)
    yield from _collectives(view.traffic)


def _step(step: StepSummary) -> Iterator[str]:
    yield (
        f"  in each: {counted(step.programs, 'program execution')}, "
        f"{counted(step.writes, 'array')} ({format_bytes(step.write_bytes)}) to the devices, "
        f"{counted(step.reads, 'array')} ({format_bytes(step.read_bytes)}) to the host"
    )
    if step.reads and step.readers:
        lines = ", ".join(short(reader.python) for reader in step.readers[:_MOST_READERS])
        more = f" and {len(step.readers) - _MOST_READERS} more" if len(step.readers) > _MOST_READERS else ""
        yield f"  read by {lines}{more}"


def _collectives(traffic: Traffic) -> Iterator[str]:
    each = "each step" if traffic.steps > 1 else "all programs, each execution"
    if traffic.each_step:
        yield f"  collectives of {each}, on each device: {_total(traffic.each_step)}"
        yield from (f"    {axis_text(row)}" for row in traffic.each_step[:_MOST_ROWS])
    if traffic.beside:
        yield f"  collectives beside the steps, in all: {_total(traffic.beside)}"


def _total(rows: Iterable[AxisBytes]) -> str:
    rows = list(rows)
    payload, sent = sum(row.payload for row in rows), sum(row.sent for row in rows)
    return f"{format_bytes(payload)}, each sends at least {format_bytes(sent)}"


def axis_text(row: AxisBytes) -> str:
    """Return one row: kind, axes, network, bytes, executions."""
    return (
        f"{row.kind:18} over {' × '.join(row.axes)} ({row.network}): {format_bytes(row.payload)}, "
        f"{counted(row.executions, 'execution')}"
    )

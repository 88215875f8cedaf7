"""Collectives of a whole rehearsal by mesh axis, in each step and beside the steps."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tpuguru.artifacts.code_model import Collective
from tpuguru.artifacts.wire import least_sent
from tpuguru.report.rehearsal.programs import ReadProgram
from tpuguru.slice.summary import ProgramSummary


@dataclass(frozen=True, slots=True)
class AxisBytes:
    """One kind of collective over one set of mesh axes; figures are of one device and one step.

    ``payload`` is the larger of what goes in and comes out, ``sent`` the least that each device sends.
    """

    axes: tuple[str, ...]
    kind: str
    network: str
    executions: float
    payload: float
    sent: float
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traffic:
    """``steps`` is how often the step ran; with fewer than two, ``each_step`` is the whole rehearsal's."""

    steps: int
    each_step: tuple[AxisBytes, ...]
    beside: tuple[AxisBytes, ...]
    """Of programs that ran less often than the step: set-up, evaluation; over the whole rehearsal."""


NO_TRAFFIC = Traffic(0, (), ())


type _Key = tuple[tuple[str, ...], str, str]


def traffic_of(programs: Iterable[ReadProgram], main: ProgramSummary | None) -> Traffic:
    """Sum the collectives of all programs that were read, loops multiplied by their known trip counts."""
    steps = main.runs if main else 0
    together = list(programs)
    if steps < 2:
        return Traffic(steps, _sum(together, 1), ())
    often = [each for each in together if each.summary.runs >= steps]
    return Traffic(steps, _sum(often, steps), _sum([each for each in together if each not in often], 1))


def _sum(programs: Iterable[ReadProgram], steps: int) -> tuple[AxisBytes, ...]:
    found: dict[_Key, list[tuple[Collective, float, str]]] = defaultdict(list)
    for program in programs:
        times = program.summary.runs / steps
        for collective in program.extract.collectives.run if program.extract and times else ():
            axes = collective.axes or (collective.axes_text,)
            found[axes, collective.kind, collective.network].append((collective, times, program.summary.name))
    rows = (_row(key, parts) for key, parts in found.items())
    return tuple(sorted(rows, key=lambda row: (-row.payload, row.kind, row.axes)))


def _row(key: _Key, parts: list[tuple[Collective, float, str]]) -> AxisBytes:
    axes, kind, network = key
    return AxisBytes(
        axes,
        kind,
        network,
        executions=sum(one.executions_per_step * times for one, times, _ in parts),
        payload=sum(one.bytes_per_step * times for one, times, _ in parts),
        sent=sum(least_sent(one.kind, one.bytes_per_step, one.group_size) * times for one, times, _ in parts),
        programs=tuple(dict.fromkeys(name for _, _, name in parts)),
    )

"""What a rehearsal showed: programs, memory, late compiles, transfers. Derived from the records alone."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.slice.records import DeviceUse, ProgramRecord, Records

type Key = tuple[int, int]
"""A loaded program: process id and index in that process."""


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """All loads of one program (same content) by all ranks. Bytes are per device."""

    name: str
    folder: str
    loads: int
    executions: int
    compile_seconds: float
    cached: bool
    flops: float
    peak_bytes: int
    argument_bytes: int
    temporary_bytes: int
    code_bytes: int
    donated: int
    python: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LateCompile:
    """A program compiled late: it stalls whoever waits for an answer or a step.

    Late is after the server was ready, or, of a program that is no server, after the main program had run.
    """

    name: str
    seconds: float
    python: str
    change: str
    """Which argument differs from the last program of this name; empty when the name is new."""


@dataclass(frozen=True, slots=True)
class DeviceSummary:
    """Peak bytes of one device over the run; ``exact`` when its process ended in order."""

    device: int
    peak_bytes: int
    limit_bytes: int
    code_bytes: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole rehearsal."""

    programs: tuple[ProgramSummary, ...]
    main: ProgramSummary | None
    """The program with the most arithmetic: the step."""
    late: tuple[LateCompile, ...]
    devices: tuple[DeviceSummary, ...]
    compile_seconds: float
    to_device_bytes: int
    to_host_bytes: int
    ready: bool = False
    """Whether a server said it was ready: ``late`` then counts from there."""


def summarise(records: Records, ready_at: float = 0.0) -> Summary:
    """Derive the summary. ``ready_at``: when a server said it was ready, as the records' times; 0: never."""
    programs = tuple(sorted(_programs(records), key=lambda each: (-each.flops, -each.peak_bytes, each.name)))
    transfers = records.transfers.values()
    return Summary(
        programs=programs,
        main=next((each for each in programs if each.executions), None),
        late=tuple(_late(records, ready_at or _main_executed(records))),
        devices=tuple(_devices(records)),
        compile_seconds=sum(each.seconds for each in records.programs if not each.cached),
        to_device_bytes=sum(each.to_device_bytes for each in transfers),
        to_host_bytes=sum(each.to_host_bytes for each in transfers),
        ready=ready_at > 0,
    )


def _programs(records: Records) -> Iterator[ProgramSummary]:
    groups: dict[str, list[ProgramRecord]] = defaultdict(list)
    for program in records.programs:
        groups[program.folder].append(program)
    for folder, loads in groups.items():
        first = loads[0]
        keys = [(each.pid, each.index) for each in loads]
        yield ProgramSummary(
            name=first.name,
            folder=folder,
            loads=len(loads),
            executions=sum(records.executions.get(key, 0) for key in keys),
            compile_seconds=sum(each.seconds for each in loads if not each.cached),
            cached=all(each.cached for each in loads),
            flops=first.flops,
            peak_bytes=first.memory["peak"],
            argument_bytes=first.memory["argument"],
            temporary_bytes=first.memory["temp"],
            code_bytes=first.memory["code"],
            donated=len(first.donated),
            python=first.python,
            arguments=next((records.arguments[key] for key in keys if key in records.arguments), ()),
        )


def _main_executed(records: Records) -> float:
    """Return when the main program was first executed; never, when nothing repeats."""
    executed = [each for each in records.programs if records.executions.get((each.pid, each.index))]
    main = max(executed, key=lambda each: each.flops, default=None)
    if main is None or records.executions[(main.pid, main.index)] < 2:
        return math.inf
    return records.first_executed.get((main.pid, main.index), math.inf)


def _late(records: Records, begun: float) -> Iterator[LateCompile]:
    """Programs that were compiled after ``begun``, each once."""
    last_of_name: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    for program in sorted(records.programs, key=lambda each: each.time):
        arguments = records.arguments.get((program.pid, program.index), ())
        if program.time > begun and program.folder not in seen:
            yield LateCompile(
                program.name,
                program.seconds,
                program.python,
                _change(last_of_name.get(program.name), arguments),
            )
        seen.add(program.folder)
        last_of_name[program.name] = arguments


def _change(before: tuple[str, ...] | None, now: tuple[str, ...]) -> str:
    if before is None:
        return ""
    if len(before) != len(now):
        return f"{len(before)} arguments became {len(now)}"
    changes = [
        f"argument {i}: {old} → {new}"
        for i, (old, new) in enumerate(zip(before, now, strict=True))
        if old != new
    ]
    return "; ".join(changes[:3]) or "same argument types; a constant or the code differs"


def _devices(records: Records) -> Iterator[DeviceSummary]:
    """Peaks as the processes told when they ended; of a killed process the highest sample."""
    sampled: dict[int, int] = defaultdict(int)
    for sample in records.memory:
        sampled[sample.device] = max(sampled[sample.device], sample.during)
    for client in records.clients:
        for device in client.devices:
            told: DeviceUse | None = records.devices.get(device)
            if told:
                yield DeviceSummary(device, told.peak, told.limit, told.code, exact=True)
            else:
                yield DeviceSummary(device, sampled[device], client.limit, 0, exact=False)

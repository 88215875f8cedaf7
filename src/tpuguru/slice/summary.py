"""What a rehearsal showed: programs, memory, late compiles, transfers. Derived from the records alone."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tpuguru.slice.records import DeviceUse, ProgramRecord, Records

_HEAVY = 0.05

type Key = tuple[int, int]
"""A loaded program: process id and index in that process."""


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """All loads of one program (same content) by all ranks. Bytes are per device."""

    name: str
    folder: str
    loads: int
    executions: int
    runs: int
    """Executions on the device that runs it most; ``executions`` are summed over the processes."""
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
    products: bool = False
    """Whether it has a product of matrices, a convolution or a kernel."""


@dataclass(frozen=True, slots=True)
class LateCompile:
    """A program compiled after the main program had run: it stalls whoever waits for a step or an answer."""

    name: str
    seconds: float
    python: str
    change: str
    """Which argument differs from the last program of this name; empty when the name is new."""
    cause: Literal["shape", "same-types", "new"] = "new"
    heavy: bool = False
    """Whether it does a good part of the step's arithmetic: small helpers compile in a moment."""


@dataclass(frozen=True, slots=True)
class DeviceSummary:
    """One device over the run: peak bytes (``exact`` when its process ended in order) and work done."""

    device: int
    executions: int
    flops: float
    peak_bytes: int
    limit_bytes: int
    code_bytes: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole rehearsal."""

    programs: tuple[ProgramSummary, ...]
    main: ProgramSummary | None
    """The step: the program with the most work; of those compiled for several arguments, the one run most."""
    late: tuple[LateCompile, ...]
    devices: tuple[DeviceSummary, ...]
    compile_seconds: float
    to_device_bytes: int
    to_host_bytes: int
    ready: bool = False
    """Whether a server said it was ready: ``late`` then counts from there."""


def summarise(records: Records, ready_at: float = 0.0) -> Summary:
    """Derive the summary. ``ready_at``: when a server said it was ready, as the records' times; 0: never."""
    programs = tuple(sorted(_programs(records), key=_order))
    folders = {each.folder for each in _step_programs(records)}
    step = [each for each in programs if each.folder in folders and each.executions]
    transfers = records.transfers.values()
    return Summary(
        programs=programs,
        main=max(step, key=lambda each: each.runs, default=None),
        late=tuple(_late(records, ready_at)),
        devices=tuple(_devices(records)),
        compile_seconds=sum(each.seconds for each in records.programs if not each.cached),
        to_device_bytes=sum(each.to_device_bytes for each in transfers),
        to_host_bytes=sum(each.to_host_bytes for each in transfers),
        ready=ready_at > 0,
    )


def _order(program: ProgramSummary) -> tuple[bool, float, int, str]:
    """Sort by work, the most first."""
    return (not program.products, -program.flops, -program.peak_bytes, program.name)


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
            runs=max(_runs(records, loads).values(), default=0),
            compile_seconds=sum(each.seconds for each in loads if not each.cached),
            cached=all(each.cached for each in loads),
            flops=first.flops,
            products=first.products,
            peak_bytes=first.memory["peak"],
            argument_bytes=first.memory["argument"],
            temporary_bytes=first.memory["temp"],
            code_bytes=first.memory["code"],
            donated=len(first.donated),
            python=first.python,
            arguments=next((records.arguments[key] for key in keys if key in records.arguments), ()),
        )


def _runs(records: Records, loads: Iterable[ProgramRecord]) -> dict[int, int]:
    """Return the executions on each device."""
    runs: dict[int, int] = defaultdict(int)
    for load in loads:
        for device in load.devices:
            runs[device] += records.executions.get((load.pid, load.index), 0)
    return runs


@dataclass(frozen=True, slots=True)
class _FirstStep:
    """When the first step began to run, and when it was over; never, when nothing repeats."""

    program: str = ""
    flops: float = 0.0
    begun: float = math.inf
    over: float = math.inf


def _step_programs(records: Records) -> list[ProgramRecord]:
    """Return the programs that are the step and ran, in all processes; first the one with the most work."""
    executed = [each for each in records.programs if records.executions.get((each.pid, each.index))]
    main = max(executed, key=lambda each: each.work, default=None)
    return [main, *(e for e in executed if e is not main and e.is_step_of(main))] if main else []


def _first_step(records: Records) -> _FirstStep:
    """Return it: over when the main program runs again; older records tell only when it ran first."""
    programs = _step_programs(records)
    main = programs[0] if programs else None
    own = [(each.pid, each.index) for each in programs if main and each.pid == main.pid]
    if main is None or sum(records.executions[key] for key in own) < 2:
        return _FirstStep()
    begun = min(records.first_executed.get(key, math.inf) for key in own)
    step = records.steps.get(main.pid)
    over = step.second if step and (main.pid, step.index) in own else 0.0
    if "jax" in main.caller:
        return _FirstStep(main.name, main.flops, begun, over or begun)
    # Eager programs of one name and many shapes make up every step: another one is not the step anew.
    return _FirstStep("", main.flops, begun, over or math.inf)


def _late(records: Records, ready_at: float) -> Iterator[LateCompile]:
    """Programs compiled after a server was ready, else when the first step was over; each once.

    A step that is compiled again is late even before the first one is over.
    """
    first = _first_step(records)
    if ready_at:
        first = _FirstStep("", first.flops, ready_at, ready_at)
    last_of_name: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    for program in sorted(records.programs, key=lambda each: each.time):
        arguments = records.arguments.get((program.pid, program.index), ())
        before = last_of_name.get(program.name)
        cause = _cause(before, arguments)
        again = cause != "new" and program.name == first.program
        if program.time > (first.begun if again else first.over) and program.folder not in seen:
            change = argument_change(before, arguments)
            heavy = first.flops > 0 and program.flops >= first.flops * _HEAVY
            yield LateCompile(program.name, program.seconds, program.python, change, cause, heavy)
        seen.add(program.folder)
        last_of_name[program.name] = arguments


def _cause(before: tuple[str, ...] | None, now: tuple[str, ...]) -> Literal["shape", "same-types", "new"]:
    if before is None:
        return "new"
    return "same-types" if before == now else "shape"


def argument_change(before: tuple[str, ...] | None, now: tuple[str, ...]) -> str:
    """Say which arguments differ between two programs of one name; empty when there was none before."""
    if before is None:
        return ""
    if len(before) != len(now):
        return f"{len(before)} arguments became {len(now)}"
    changes = [
        f"argument {i}: {old} → {new}"
        for i, (old, new) in enumerate(zip(before, now, strict=True))
        if old != new
    ]
    return "; ".join(changes[:3]) or "same argument types; their sharding, a constant or the code differs"


def _devices(records: Records) -> Iterator[DeviceSummary]:
    """Peaks as the processes told when they ended; of a killed process the highest sample."""
    sampled: dict[int, int] = defaultdict(int)
    for sample in records.memory:
        sampled[sample.device] = max(sampled[sample.device], sample.during)
    runs, flops = _runs(records, records.programs), _flops(records)
    for client in records.clients:
        for device in client.devices:
            told: DeviceUse | None = records.devices.get(device)
            yield DeviceSummary(
                device=device,
                executions=runs.get(device, 0),
                flops=flops.get(device, 0.0),
                peak_bytes=told.peak if told else sampled[device],
                limit_bytes=told.limit if told else client.limit,
                code_bytes=told.code if told else 0,
                exact=told is not None,
            )


def _flops(records: Records) -> dict[int, float]:
    """Return the arithmetic that each device did, as the compiler counts it for one partition."""
    flops: dict[int, float] = defaultdict(float)
    for program in records.programs:
        for device in program.devices:
            flops[device] += program.flops * records.executions.get((program.pid, program.index), 0)
    return flops

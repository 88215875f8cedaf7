"""What happens in each step: transfers, the lines that read, other programs. Derived from the records alone.

The step is the program with the most work; a step is what lies between two executions of it.
"""

from dataclasses import dataclass

from tpuguru.slice.record_parts import LineReads, StepTransfers
from tpuguru.slice.records import Records


@dataclass(frozen=True, slots=True)
class StepSummary:
    """One step of one process, on average. ``steps`` counts the executions that the averages are over."""

    program: str
    steps: int
    programs: float
    """Executions of any program, the step's own included."""
    reads: float
    read_bytes: float
    writes: float
    write_bytes: float
    readers: tuple[LineReads, ...]
    """The lines that read in every step, the most frequent first."""


def summarise_step(records: Records) -> StepSummary | None:
    """Return the step of the process that transfers most in each; None when no program ran twice."""
    steps = [_step(records, pid, step) for pid, step in records.steps.items()]
    known = [step for step in steps if step is not None]
    return max(known, key=lambda step: (step.reads, step.writes, step.programs), default=None)


def _step(records: Records, pid: int, step: StepTransfers) -> StepSummary | None:
    executions = step.executions or records.executions.get((pid, step.index), 0)
    if executions < 2:
        return None
    own = [each for each in records.programs if each.pid == pid]
    main = next((each for each in own if each.index == step.index), None)
    same = {each.index for each in own if main and each.is_step_of(main)}
    between, first, last = executions - 1, step.first, step.last
    beside = [
        count
        for (process, index), count in records.executions.items()
        if process == pid and count >= executions and index not in same
    ]
    return StepSummary(
        program=main.name if main else "",
        steps=executions,
        programs=1 + sum(beside) / executions,
        reads=(last.to_host_count - first.to_host_count) / between,
        read_bytes=(last.to_host_bytes - first.to_host_bytes) / between,
        writes=(last.to_device_count - first.to_device_count) / between,
        write_bytes=(last.to_device_bytes - first.to_device_bytes) / between,
        readers=tuple(each for each in records.reads.get(pid, ()) if each.count >= between),
    )

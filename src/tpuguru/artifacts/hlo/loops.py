"""How often each computation runs in one execution of the program."""

import re
from dataclasses import dataclass, field

from tpuguru.artifacts.hlo.module import Computation, Instruction, Module, Scalar, ScalarOperation

_KNOWN_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_MIRRORED = {"GT": "LT", "GE": "LE", "LT": "GT", "LE": "GE", "NE": "NE", "EQ": "EQ"}


@dataclass(slots=True)
class Executions:
    """Executions of each computation in one run of the entry; lower bounds where a trip count is unknown.

    ``callers`` maps a computation to the instructions that run it.
    """

    by_computation: dict[str, int] = field(default_factory=dict)
    trips: dict[str, int | None] = field(default_factory=dict)  # while instruction → trips
    callers: dict[str, list[Instruction]] = field(default_factory=dict)

    def of(self, instruction: Instruction) -> int:
        """Return how often an instruction runs; 0 when nothing reaches it."""
        return self.by_computation.get(instruction.computation, 0)

    @property
    def unknown_loops(self) -> list[str]:
        """The loops whose trip count the text does not tell; they are counted once."""
        return [name for name, trips in self.trips.items() if trips is None]


def count_executions(module: Module) -> Executions:
    """Multiply loop trip counts down from the entry.

    Trip counts come from ``known_trip_count`` where the compiler wrote one, else from the loop itself: the
    bound its condition compares with, the constant it starts from and the step its body adds. Both branches
    of a conditional are counted.
    """
    executions = Executions()
    edges: dict[str, list[tuple[str, int]]] = {}
    for computation in module.computations.values():
        targets = edges.setdefault(computation.name, [])
        for instruction in computation.instructions:
            factor = 1
            if instruction.opcode == "while":
                trips = _trip_count(module, computation, instruction)
                executions.trips[instruction.name] = trips
                factor = 1 if trips is None else trips
            for callee in instruction.callees():
                if callee in module.computations:
                    targets.append((callee, factor))
                    executions.callers.setdefault(callee, []).append(instruction)
    executions.by_computation = _propagate(module.entry, edges)
    return executions


def _propagate(entry: str, edges: dict[str, list[tuple[str, int]]]) -> dict[str, int]:
    order = _callers_first(entry, edges)
    counts = dict.fromkeys(order, 0)
    if entry in edges:
        counts[entry] = 1
    for name in order:
        for callee, factor in edges.get(name, ()):
            if callee in counts:
                counts[callee] += counts[name] * factor
    return counts


def _callers_first(entry: str, edges: dict[str, list[tuple[str, int]]]) -> list[str]:
    """Topological order from the entry; iterative, because a hostile file may nest very deep."""
    done: list[str] = []
    seen: set[str] = set()
    stack: list[tuple[str, bool]] = [(entry, False)]
    while stack:
        name, finished = stack.pop()
        if finished:
            done.append(name)
        elif name not in seen and name in edges:
            seen.add(name)
            stack.append((name, True))
            stack += [(callee, False) for callee, _ in edges[name] if callee not in seen]
    return done[::-1]


def _trip_count(module: Module, caller: Computation, loop: Instruction) -> int | None:
    if known := _KNOWN_TRIPS.search(loop.attributes):
        return int(known[1])
    condition = module.computations.get(loop.attribute("condition").lstrip("%"))
    body = module.computations.get(loop.attribute("body").lstrip("%"))
    if condition is None or body is None:
        return None
    test = _inlined(module, condition.root)
    if test is None or test.opcode != "compare" or len(test.operands) != 2:
        return None
    counter, bound, direction = *test.operands, test.direction
    if counter.element is None:
        counter, bound, direction = bound, counter, _MIRRORED.get(direction, "")
    if counter.element is None:
        return None
    start = caller.tuples.get(loop.operands[0], ()) if loop.operands else ()
    limit = bound.constant if bound.constant is not None else _constant_at(start, bound.element)
    first = _constant_at(start, counter.element)
    step = _step(module, body, counter.element)
    if limit is None or step is None or first is None:
        return None
    return _trips(first, limit, step, direction)


def _constant_at(values: tuple[Scalar, ...], index: int | None) -> int | None:
    return values[index].constant if index is not None and index < len(values) else None


def _step(module: Module, body: Computation, element: int) -> int | None:
    update = _inlined(module, body.updates.get(element))
    if update is None or update.opcode != "add":
        return None
    return next((operand.constant for operand in update.operands if operand.constant is not None), None)


def _inlined(module: Module, operation: ScalarOperation | None) -> ScalarOperation | None:
    """Look through a fusion: its root's operands are replaced by what the fusion was given."""
    if operation is None or operation.opcode != "fusion":
        return operation
    callee = module.computations.get(operation.callee)
    if callee is None or callee.root is None:
        return None
    given = operation.operands
    operands = tuple(
        given[operand.element] if operand.element is not None and operand.element < len(given) else operand
        for operand in callee.root.operands
    )
    return ScalarOperation(callee.root.opcode, operands, callee.root.direction)


def _trips(start: int, limit: int, step: int, direction: str) -> int | None:
    if step > 0 and direction in ("LT", "NE"):
        return max(0, -(-(limit - start) // step))
    if step > 0 and direction == "LE":
        return max(0, (limit - start) // step + 1)
    if step < 0 and direction in ("GT", "NE"):
        return max(0, -(-(start - limit) // -step))
    if step < 0 and direction == "GE":
        return max(0, (start - limit) // -step + 1)
    return None

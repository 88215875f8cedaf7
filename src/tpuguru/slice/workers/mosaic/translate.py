"""From MLIR to Python functions: each operation becomes a step over the values of its function.

Values live in a list; a step reads its operands and writes its results there. Most operations are a pure
function of their operands (``PURE``); those with regions or effects of their own make their step themselves
(``STEPS``). The tables are filled by the modules of the operation families.
"""

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from .libraries import Foreign, Refusal
from .types import constant

type Values = list[Foreign]
type Step = Callable[[Values], None]
type Pure = Callable[..., Foreign]

PURE: dict[str, Callable[[Foreign], Pure]] = {}
"""For each operation: makes the function of the operands. It is given the operation."""
STEPS: dict[str, Callable[["Translator", Foreign], Step]] = {}
"""For operations that need more: makes the step itself."""


def pure(*names: str) -> Callable[[Callable[[Foreign], Pure]], Callable[[Foreign], Pure]]:
    """Register what makes the function of these operations."""

    def register(maker: Callable[[Foreign], Pure]) -> Callable[[Foreign], Pure]:
        PURE.update(dict.fromkeys(names, maker))
        return maker

    return register


def step(*names: str) -> Callable[[Callable[["Translator", Foreign], Step]], None]:
    """Register what makes the step of these operations."""

    def register(maker: Callable[["Translator", Foreign], Step]) -> None:
        STEPS.update(dict.fromkeys(names, maker))

    return register


def each_named(functions: dict[str, Pure]) -> None:
    """Register operations whose function does not depend on their attributes."""
    for name, function in functions.items():
        PURE[name] = partial(_whatever_its_attributes, function)


def _whatever_its_attributes(function: Pure, operation: Foreign) -> Pure:  # noqa: ARG001 - the table's signature
    return function


@dataclass
class Clock:
    """How much of the processor a kernel may use: a busy machine must not decide what is known."""

    deadline: float = float("inf")

    def allow(self, seconds: float) -> None:
        """Start to count."""
        self.deadline = time.thread_time() + seconds

    def check(self) -> None:
        """Refusal when the time is over."""
        if time.thread_time() > self.deadline:
            raise Refusal("it takes too long to interpret")


@dataclass
class Function:
    """A translated function."""

    arguments: list[int]
    steps: list[Step]
    results: list[int]
    initial: Values
    """Every value before the first step: constants, and None."""

    def __call__(self, *arguments: Foreign) -> list[Foreign]:
        """Run."""
        values = list(self.initial)
        for slot, argument in zip(self.arguments, arguments, strict=True):
            values[slot] = argument
        for each in self.steps:
            each(values)
        return [values[slot] for slot in self.results]


@dataclass
class Block:
    """A translated block of a region: where its arguments and what it yields lie."""

    arguments: list[int]
    steps: list[Step]
    yields: list[int]

    def run(self, values: Values) -> list[Foreign]:
        """Run, and return what it yields."""
        for each in self.steps:
            each(values)
        return [values[slot] for slot in self.yields]


@dataclass
class Translator:
    """Translates one function; its regions share the function's list of values."""

    functions: dict[str, Function]
    clock: Clock
    bounds: list[int]
    """The sizes of the grid; filled in when it is known."""
    slots: dict[Foreign, int] = field(default_factory=dict)
    initial: Values = field(default_factory=list)
    seconds: float = 0.0
    """About how long one pass through all operations takes."""

    def slot(self, value: Foreign) -> int:
        """Return where a value lies."""
        if value not in self.slots:
            self.slots[value] = len(self.initial)
            self.initial.append(None)
        return self.slots[value]

    def function(self, operation: Foreign) -> Function:
        """Translate a ``func.func``."""
        block = self.block(operation.regions[0].blocks[0])
        return Function(block.arguments, block.steps, block.yields, self.initial)

    def block(self, block: Foreign) -> Block:
        """Translate a block up to its terminator."""
        arguments = [self.slot(argument) for argument in block.arguments]
        steps: list[Step] = []
        for each in block.operations:
            operation = each.operation
            if operation.name in _TERMINATORS:
                return Block(arguments, steps, [self.slot(value) for value in operation.operands])
            if operation.name == "arith.constant":
                value = constant(operation.attributes["value"], operation.results[0].type)
                self.initial[self.slot(operation.results[0])] = value
            else:
                steps.append(self._step(operation))
        return Block(arguments, steps, [])

    def _step(self, operation: Foreign) -> Step:
        self.seconds += _SECONDS_A_STEP + _SECONDS_AN_ELEMENT * _elements(operation)
        if operation.name in STEPS:
            return STEPS[operation.name](self, operation)
        if operation.name not in PURE:
            raise Refusal(f"operation {operation.name}")
        function = PURE[operation.name](operation)
        operands = [self.slot(value) for value in operation.operands]
        results = [self.slot(value) for value in operation.results]
        return _call(function, operands, results)


# Measured: benchmarks/slice_kernels.py.
_SECONDS_A_STEP = 3e-6
_SECONDS_AN_ELEMENT = 2e-9


def _elements(operation: Foreign) -> int:
    """Return the size of what an operation makes, or is given when it makes nothing."""
    values = list(operation.results) or list(operation.operands)
    found = re.match(r"vector<((?:\d+x)+)", str(values[0].type)) if values else None
    return math.prod(int(size) for size in found[1].split("x") if size) if found else 1


_TERMINATORS = {"func.return", "scf.yield", "tpu.yield", "scf.condition"}


def _call(function: Pure, operands: list[int], results: list[int]) -> Step:
    """Return the step that calls a function; the common numbers of operands without a list in between."""
    if len(results) != 1:
        return _call_many(function, operands, results)
    result = results[0]
    if len(operands) == 1:
        only = operands[0]

        def one(values: Values) -> None:
            values[result] = function(values[only])

        return one
    if len(operands) == 2:
        left, right = operands

        def two(values: Values) -> None:
            values[result] = function(values[left], values[right])

        return two

    def any_number(values: Values) -> None:
        values[result] = function(*[values[slot] for slot in operands])

    return any_number


def _call_many(function: Pure, operands: list[int], results: list[int]) -> Step:
    def many(values: Values) -> None:
        told = function(*[values[slot] for slot in operands])
        for slot, value in zip(results, told or (), strict=True):
            values[slot] = value

    return many

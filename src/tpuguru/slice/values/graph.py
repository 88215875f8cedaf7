"""What was executed and what is known of it: values and the executions that make them. Pure logic."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from math import prod
from typing import Protocol

from tpuguru.slice.values.frames import ArrayKind, ProgramFrame


class Knowledge(Enum):
    """What is known of a value."""

    PENDING = auto()
    KNOWN = auto()
    UNKNOWN = auto()


@dataclass(slots=True, eq=False)
class Value:
    """One array on one device."""

    kind: ArrayKind
    data: bytes | None = None
    knowledge: Knowledge = Knowledge.PENDING
    producer: "Producer | None" = None
    reason: str = ""
    """Why it is unknown, when it is."""

    def know(self, data: bytes) -> None:
        """Record the value and let go of how it was made."""
        self.data, self.knowledge, self.producer = data, Knowledge.KNOWN, None

    def give_up(self, reason: str) -> None:
        """Record that the value cannot be known, and why."""
        self.knowledge, self.producer, self.reason = Knowledge.UNKNOWN, None, reason


class Producer(Protocol):
    """What makes values: an execution, or a transfer from another process."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def done(self) -> bool:
        """Whether its values are known or given up."""

    @property
    def ranks(self) -> set[int]:
        """The ranks that have entered."""

    def missing(self) -> tuple[int, ...]:
        """Return the devices that have not entered yet; empty when it can be computed."""

    def needs(self, engine: "Engine") -> Iterator[Value]:
        """Yield what it depends on; nothing when it cannot be computed whatever that is."""

    def compute(self, engine: "Engine") -> None:
        """Make its values known or unknown. Everything it depends on is one or the other."""


@dataclass(slots=True, eq=False)
class Transfer:
    """One array on its way from a process to another. ``device`` is the receiver's."""

    device: int
    sent: Value | None = None
    received: Value | None = None
    ranks: set[int] = field(default_factory=set)
    done: bool = False

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "send/receive"

    def missing(self) -> tuple[int, ...]:
        """Return the receiver's device while nobody has sent: who should have is not known."""
        return () if self.sent is not None else (self.device,)

    def needs(self, engine: "Engine") -> Iterator[Value]:  # noqa: ARG002 - the protocol's signature
        """Yield the value that was sent."""
        if self.sent is not None:
            yield self.sent

    def compute(self, engine: "Engine") -> None:  # noqa: ARG002 - there is nothing to compute
        """Hand the value over."""
        self.done = True
        if self.sent is None or self.received is None:
            return
        if self.sent.data is None:
            self.received.give_up(self.sent.reason)
        else:
            self.received.know(self.sent.data)


@dataclass(slots=True, eq=False)
class Program:
    """A program, shared by all ranks that loaded the same one."""

    frame: ProgramFrame
    dependencies: tuple[tuple[int, ...] | str, ...] | None = None
    """For each output the arguments it depends on, or why it can never be known. Unset at first."""
    objection: str = ""
    """Why its values cannot be known, when they cannot."""
    sends: dict[int, int] = field(default_factory=dict)
    """Channels to the host, and the output (after the program's own) that holds what is sent."""
    receives: dict[int, ArrayKind] = field(default_factory=dict)
    """Channels from the host, in the order of the arguments that they add to the program's own."""

    @property
    def width(self) -> int:
        """The number of devices that take part."""
        return self.frame.replicas * self.frame.partitions


@dataclass(slots=True, eq=False)
class Execution:
    """One execution over all the devices that take part, entered by one rank or by several."""

    program: Program
    arguments: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    outputs: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    ranks: set[int] = field(default_factory=set)
    host: dict[int, bytes] = field(default_factory=dict)
    """What the host gave, by channel."""
    done: bool = False

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.program.frame.name

    def missing(self) -> tuple[int, ...]:
        """Return the devices that have not entered yet; empty when it can be computed."""
        if not self.program.frame.collectives and self.arguments:
            return ()
        devices = self.program.frame.devices
        return tuple(devices[place] for place in range(self.program.width) if place not in self.arguments)

    def arguments_at(self, place: int) -> tuple[Value, ...]:
        """Return a place's arguments and what the host gave.

        Without collectives any place may stand for one that is elsewhere.
        """
        own = self.arguments[place] if place in self.arguments else next(iter(self.arguments.values()))
        return own + tuple(self._given(channel, kind) for channel, kind in self.program.receives.items())

    def _given(self, channel: int, kind: ArrayKind) -> Value:
        if channel in self.host:
            return Value(kind, self.host[channel], Knowledge.KNOWN)
        return Value(kind, knowledge=Knowledge.UNKNOWN, reason=f"{self.name}: a host callback was not called")

    def needs(self, engine: "Engine") -> Iterator[Value]:
        """Yield the arguments, of all places, that some output depends on."""
        dependencies = self._dependencies(engine)
        needed = sorted({index for each in dependencies if not isinstance(each, str) for index in each})
        for arguments in self.arguments.values():
            yield from (arguments[index] for index in needed if index < len(arguments))

    def compute(self, engine: "Engine") -> None:
        """Make the outputs known or unknown, each by what it depends on."""
        count = len(self.program.frame.outputs)
        results, reasons = self._results(engine)
        self.finish(results, reasons or [f"{self.name}: {self.program.objection}"] * count)

    def _results(self, engine: "Engine") -> tuple[list[list[bytes]], list[str]]:
        """Return the outputs by place, and for each output why it is unknown; no reasons at an objection."""
        reasons = [self._reason(needed) for needed in self._dependencies(engine)]
        results = engine.run(self) if "" in reasons else []
        return (results, reasons) if results is not None else ([], [])

    def _dependencies(self, engine: "Engine") -> tuple[tuple[int, ...] | str, ...]:
        """Return what each output depends on; nothing when the program cannot be computed."""
        program = self.program
        if program.dependencies is None and not program.objection:
            engine.prepare(program)
        return () if program.objection else program.dependencies or ()

    def sent_to_host(self, engine: "Engine", channel: int) -> tuple[bytes | None, str]:
        """Return what is sent on a channel, or None and why it is not known.

        For a channel on which the program receives: as many bytes as it expects.
        """
        results, reasons = self._results(engine)
        if channel in self.program.receives:
            return bytes(size_of(self.program.receives[channel])), ""
        output = self.program.sends.get(channel)
        if output is None or not reasons:
            return (
                None,
                self.program.objection or f"{self.name} has no such callback that can be computed here",
            )
        return (None, reasons[output]) if reasons[output] else (results[0][output], "")

    def _reason(self, needed: tuple[int, ...] | str) -> str:
        """Say why an output that needs these arguments is unknown; empty when it can be computed."""
        if isinstance(needed, str):
            return f"{self.name}: {needed}"
        for place in range(self.program.width):
            arguments = self.arguments_at(place)
            for index in needed:
                value = arguments[index]
                if value.knowledge is not Knowledge.KNOWN:
                    return value.reason or "an argument is not known"
        return ""

    def finish(self, results: Sequence[Sequence[bytes]], reasons: Sequence[str]) -> None:
        """Record the outputs by place, or for each why it is unknown; let go of the arguments."""
        for place, outputs in self.outputs.items():
            for index, value in enumerate(outputs):
                if reasons[index]:
                    value.give_up(reasons[index])
                else:
                    value.know(results[place][index])
        self.arguments.clear()
        self.done = True


def size_of(kind: ArrayKind) -> int:
    """Return the bytes of an array in host memory."""
    element, dims = kind
    return prod(dims) * _ELEMENT_BYTES[element]


# By the PJRT ABI's number of the element type; types of less than a byte take one on the host.
_ELEMENT_BYTES = (1, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8, 16, *[1] * 7, 0, *[1] * 6)


class Engine(Protocol):
    """Computes programs. Both calls return None (or raise nothing) when it cannot be done."""

    def prepare(self, program: Program) -> None:
        """Fill ``dependencies`` or ``objection``."""

    def run(self, execution: Execution) -> list[list[bytes]] | None:
        """Return the outputs' bytes by place, unknown arguments read as zeros; None when it failed."""


class Graph:
    """Evaluates values when they are read, and the values that they depend on first."""

    def __init__(self, engine: Engine) -> None:
        """Compute with ``engine``."""
        self._engine = engine

    def call(self, execution: Execution, channel: int) -> tuple[bytes | None, str]:
        """Return what an execution sends to the host on a channel, after what it depends on is evaluated."""
        for value in list(execution.needs(self._engine)):
            if self.evaluate(value) is not None:
                return None, "it depends on a collective that other ranks have not entered"
        return execution.sent_to_host(self._engine, channel)

    def evaluate(self, wanted: Value) -> Producer | None:
        """Make ``wanted`` known or unknown; return what more ranks must enter first, if anything."""
        stack = [wanted]
        while stack:
            producer = stack[-1].producer
            if producer is None or producer.done:
                stack.pop()
                continue
            if producer.missing():
                return producer
            pending = [value for value in producer.needs(self._engine) if value.producer is not None]
            if pending:
                stack.extend(pending)
            else:
                producer.compute(self._engine)
        return None

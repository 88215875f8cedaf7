"""What was executed and what is known of it: values and the executions that make them. Pure logic."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from tpuguru.slice.values.frames import ArrayKind, ProgramFrame, Question
from tpuguru.slice.values.holdings import Holdings


class Knowledge(Enum):
    """What is known of a value."""

    PENDING = auto()
    KNOWN = auto()
    UNKNOWN = auto()


@dataclass(slots=True, eq=False, weakref_slot=True)
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
        """Record that the value cannot be known, or is not kept, and why."""
        self.data = None
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

    def made(self) -> Iterator[Value]:
        """Yield the values that it makes."""


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

    def made(self) -> Iterator[Value]:
        """Yield nothing: the receiver's value is the sender's, which is counted."""
        yield from ()


class HostError(Exception):
    """A function of the host failed; says how."""


type Host = Callable[[Question], list[bytes]]
"""Calls functions of the host; returns what they give, or raises HostError."""


@dataclass(slots=True, eq=False)
class Program:
    """A program, shared by all ranks that loaded the same one."""

    frame: ProgramFrame
    dependencies: tuple[tuple[int, ...] | str, ...] | None = None
    """For each output the arguments it depends on, or why it can never be known. Unset at first."""
    objection: str = ""
    """Why its values cannot be known, when they cannot."""
    host_calls: tuple[tuple[int, ...] | str, ...] = ()
    """For each host callback what it depends on. As a dependency, callbacks count on from arguments."""

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
    hosts: dict[int, Host] = field(default_factory=dict)
    """Who is asked for what the program wants of the host, by place."""
    silent: dict[int, str] = field(default_factory=dict)
    """Host callbacks that are not called, and why."""
    failure: str = ""
    """How a function of the host failed, when one did."""
    called: Value = field(default_factory=lambda: Value((0, ())))
    """Known (and empty) when every host callback was called."""
    done: bool = False

    def __post_init__(self) -> None:
        """Whoever waits for the callbacks waits for the execution."""
        self.called.producer = self

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
        """Return a place's arguments. Without collectives any may stand for one that is elsewhere."""
        return self.arguments[place] if place in self.arguments else next(iter(self.arguments.values()))

    def needs(self, engine: "Engine") -> Iterator[Value]:
        """Yield the arguments, of all places, that some output or host callback depends on."""
        dependencies = self._dependencies(engine) + self.program.host_calls
        needed = sorted({index for each in dependencies if not isinstance(each, str) for index in each})
        for arguments in self.arguments.values():
            yield from (arguments[index] for index in needed if index < len(arguments))

    def compute(self, engine: "Engine") -> None:
        """Make the outputs known or unknown, each by what it depends on; call the host."""
        dependencies = self._dependencies(engine)
        self.silent = self._silent_calls()
        reasons = [self._reason(needed) for needed in dependencies]
        wanted = "" in reasons or len(self.silent) < len(self.program.host_calls)
        results = engine.run(self) if wanted else []
        if results is None or not reasons:
            why = self.failure or self.program.objection
            reasons = [f"{self.name}: {why}"] * len(self.program.frame.outputs)
        self.finish(results or [], reasons)

    def made(self) -> Iterator[Value]:
        """Yield the outputs of all places."""
        for outputs in self.outputs.values():
            yield from outputs

    def _silent_calls(self) -> dict[int, str]:
        """Return the host callbacks that are not called. One that depends on such a one is another."""
        calls = self.program.host_calls
        if not self.hosts:
            return dict.fromkeys(range(len(calls)), f"{self.name}: a host callback was not called")
        self.silent = {}
        while True:
            found = {number: self._reason(needed) for number, needed in enumerate(calls)}
            silent = {number: reason for number, reason in found.items() if reason}
            if len(silent) == len(self.silent):
                return silent
            self.silent = silent

    def _dependencies(self, engine: "Engine") -> tuple[tuple[int, ...] | str, ...]:
        """Return what each output depends on; nothing when the program cannot be computed."""
        program = self.program
        if program.dependencies is None and not program.objection:
            engine.prepare(program)
        return () if program.objection else program.dependencies or ()

    def _reason(self, needed: tuple[int, ...] | str) -> str:
        """Say why an output that needs these arguments is unknown; empty when it can be computed."""
        if isinstance(needed, str):
            return f"{self.name}: {needed}"
        for place in range(self.program.width):
            arguments = self.arguments_at(place)
            for index in needed:
                if index >= len(arguments):
                    if index - len(arguments) in self.silent:
                        return self.silent[index - len(arguments)]
                    continue
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
        unknown = self.failure or self.program.objection or next(iter(self.silent.values()), "")
        if unknown:
            self.called.give_up(unknown)
        else:
            self.called.know(b"")
        self.arguments.clear()
        self.hosts.clear()
        self.done = True


class Engine(Protocol):
    """Computes programs. Both calls return None (or raise nothing) when it cannot be done."""

    def prepare(self, program: Program) -> None:
        """Fill ``dependencies`` or ``objection``."""

    def warm_up(self, devices: int) -> None:
        """Begin to get ready for programs on so many devices: a rank has joined, and will read something."""

    def run(self, execution: Execution) -> list[list[bytes]] | None:
        """Return the outputs' bytes by place, unknown arguments read as zeros; None when it failed."""


class Graph:
    """Evaluates values when they are read, and the values that they depend on first."""

    def __init__(self, engine: Engine, holdings: Holdings) -> None:
        """Compute with ``engine``, and keep what fits into ``holdings``."""
        self._engine = engine
        self._holdings = holdings
        self._asking: list[Producer] = []
        self.asked = False
        """Whether the host was asked since this was last set to False: who waited for that may go on."""

    def waits(self, producer: Producer) -> bool:
        """Say whether it cannot be computed now: ranks are missing, or the host is being asked already."""
        if producer.missing():
            return True
        return bool(self._asking) and (producer in self._asking or _asks(producer))

    def blocker(self, wanted: Value) -> Producer | None:
        """Return what more ranks must enter before ``wanted`` can be read, if anything. Computes nothing."""
        seen: set[int] = set()
        stack = [wanted]
        while stack:
            producer = stack.pop().producer
            if producer is None or producer.done or id(producer) in seen:
                continue
            if producer.missing():
                return producer
            seen.add(id(producer))
            stack.extend(producer.needs(self._engine))
        return None

    def evaluate(self, wanted: Value) -> Producer | None:
        """Make ``wanted`` known or unknown; return what more ranks must enter first, if anything."""
        stack = [wanted]
        while stack:
            producer = stack[-1].producer
            if producer is None or producer.done:
                stack.pop()
                continue
            if self.waits(producer):
                return producer
            pending = [value for value in producer.needs(self._engine) if value.producer is not None]
            if pending:
                stack.extend(pending)
            else:
                self._compute(producer)
        return None

    def _compute(self, producer: Producer) -> None:
        """Compute; while it asks the host, other frames are handled, and may want values."""
        if not _asks(producer):
            producer.compute(self._engine)
        else:
            self._compute_asking(producer)
        for value in producer.made():
            self._holdings.admit(value)

    def _compute_asking(self, producer: Producer) -> None:
        self._asking.append(producer)
        try:
            producer.compute(self._engine)
        finally:
            self._asking.remove(producer)
            self.asked = True


def _asks(producer: Producer) -> bool:
    return isinstance(producer, Execution) and bool(producer.hosts)

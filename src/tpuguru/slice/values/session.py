"""The service's state: ranks, their programs and values, who waits for what. Frames in, answers out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from tpuguru.slice.values.frames import (
    PROTOCOL_VERSION,
    ExecuteFrame,
    FetchFrame,
    Frame,
    FrameError,
    FreeFrame,
    GiveFrame,
    Hello,
    ProgramFrame,
    Question,
    ReadyFrame,
    ReceiveFrame,
    SendFrame,
    ValueFrame,
    WaitFrame,
)
from tpuguru.slice.values.graph import (
    Engine,
    Execution,
    Graph,
    HostError,
    Knowledge,
    Producer,
    Program,
    Transfer,
    Value,
)
from tpuguru.slice.values.holdings import Holdings
from tpuguru.slice.values.meeting import Meeting
from tpuguru.slice.values.transfers import Transfers

# Executions whose outputs nobody read are kept until then, with their arguments; so many at most.
_MOST_PENDING = 1000

MOST_BYTES = 2 << 30
"""Of all values together: enough for small models with their optimizers, and no machine's whole memory."""

_NEVER_HERE = "an array was too big to keep, or never written"

type Answer = Callable[[int, bytes | None, str], None]
"""Sends the answer to a request: its number, the bytes or None (not known), and the reason then."""


type Ask = Callable[[int, Question], None]
"""Sends a question about a request, and returns when something may have arrived that answers it."""


@dataclass(slots=True, eq=False)
class Rank:
    """One connected process."""

    answer: Answer
    ask: Ask
    process_id: int = 0
    devices: tuple[int, ...] = ()
    programs: dict[int, Program] = field(default_factory=dict)
    values: dict[int, Value] = field(default_factory=dict)
    waiting: dict[int, tuple[Value, Producer]] = field(default_factory=dict)
    """Unanswered requests: the value wanted, and what more ranks must enter first."""
    waiting_to_be_ready: dict[int, tuple[Value, Producer]] = field(default_factory=dict)
    """Requests of those who want to know when a value can be read."""
    given: dict[int, GiveFrame] = field(default_factory=dict)
    """What the host gave, by the request of the execution that asked."""
    since_evaluation: int = 0
    elsewhere: str = ""
    """What it waits for out of our sight: a send of TorchTPU that its receiver has not announced."""

    @property
    def stuck(self) -> bool:
        """Whether it waits for another rank."""
        return bool(self.waiting or self.waiting_to_be_ready or self.elsewhere)

    @property
    def blockers(self) -> list[Producer]:
        """What it waits for."""
        return [each for _, each in (*self.waiting.values(), *self.waiting_to_be_ready.values())]

    @property
    def name(self) -> str:
        """How a person knows it: by the devices it owns."""
        if not self.devices:
            return f"process {self.process_id}"
        shown = ", ".join(str(device) for device in self.devices[:4]) + (
            ", …" if len(self.devices) > 4 else ""
        )
        return f"process {self.process_id} (device {shown})"


@dataclass(frozen=True, slots=True)
class Deadlock:
    """A collective that cannot happen."""

    program: str
    waiting: tuple[str, ...]
    missing: tuple[str, ...]
    certain: bool


class Session:
    """Handles frames. Not thread-safe: one loop calls it."""

    def __init__(self, engine: Engine, most_bytes: int = MOST_BYTES) -> None:
        """Compute with ``engine``; keep at most ``most_bytes`` of values."""
        self._holdings = Holdings(most_bytes)
        self._graph = Graph(engine, self._holdings)
        self._meeting = Meeting()
        self._programs: dict[tuple[str, tuple[int, ...]], Program] = {}
        self._transfers = Transfers()
        self.ranks: list[Rank] = []

    def connect(self, answer: Answer, ask: Ask) -> Rank:
        """Add a rank that is told answers through ``answer`` and asked through ``ask``."""
        rank = Rank(answer, ask)
        self.ranks.append(rank)
        return rank

    def disconnect(self, rank: Rank) -> None:
        """Forget a rank: what only it could still enter will never be entered."""
        self.ranks.remove(rank)

    def handle(self, rank: Rank, frame: Frame) -> None:
        """Do what one frame says. FrameError when it refers to what was never told."""
        match frame:
            case Hello():
                if frame.version != PROTOCOL_VERSION:
                    raise FrameError(
                        f"the plugin speaks version {frame.version}, the service {PROTOCOL_VERSION}"
                    )
                rank.process_id, rank.devices = frame.process_id, frame.devices
            case ProgramFrame():
                key = (frame.hash, frame.devices)
                rank.programs[frame.number] = self._programs.setdefault(key, Program(frame))
            case ValueFrame():
                rank.values[frame.number] = value = Value(frame.kind, frame.data, Knowledge.KNOWN)
                self._holdings.admit(value)
            case FreeFrame():
                rank.values.pop(frame.number, None)
            case ExecuteFrame():
                self._execute(rank, frame)
            case FetchFrame() | ReadyFrame():
                self._request(rank, frame)
            case SendFrame() | ReceiveFrame() | WaitFrame():
                self._transfer(rank, frame)
            case GiveFrame():
                rank.given[frame.request] = frame

    def _execute(self, rank: Rank, frame: ExecuteFrame) -> None:
        program = rank.programs.get(frame.program)
        if program is None:
            raise FrameError(f"program {frame.program} was never described")
        spread = program.frame.collectives and len(frame.places) < program.width
        execution = self._meeting.enter(id(rank), program) if spread else Execution(program)
        number = frame.first_output
        for place, arguments in zip(frame.places, frame.arguments, strict=True):
            execution.arguments[place] = tuple(
                self._argument(rank, value, frame, index) for index, value in enumerate(arguments)
            )
            outputs = tuple(Value(kind, producer=execution) for kind in program.frame.outputs)
            execution.outputs[place] = outputs
            if frame.request:
                execution.hosts[place] = partial(self._ask, rank, frame.request)
            rank.values.update(enumerate(outputs, number))
            number += len(outputs)
        if spread and not execution.missing():
            self._meeting.left(execution)
            self._retry()
        if frame.request:
            self._answer_or_wait(rank, frame.request, execution.called)
        self._bound_pending(rank)

    def _ask(self, rank: Rank, request: int, question: Question) -> list[bytes]:
        """Ask a rank's host, and handle frames until it answers. HostError when a function of it failed."""
        rank.ask(request, question)
        given = rank.given.pop(request, None)
        if given is None:
            raise HostError("its process is gone")
        if given.error:
            raise HostError(given.error)
        return list(given.data)

    def _tell_when_ready(self, rank: Rank, request: int, value: Value) -> None:
        blocker = self._graph.blocker(value)
        if blocker is not None:
            rank.waiting_to_be_ready[request] = (value, blocker)
            return
        rank.waiting_to_be_ready.pop(request, None)
        rank.answer(request, b"", "")

    def _transfer(self, rank: Rank, frame: SendFrame | ReceiveFrame | WaitFrame) -> None:
        match frame:
            case SendFrame():
                self._send(rank, frame)
            case ReceiveFrame():
                self._receive(rank, frame)
            case WaitFrame():
                rank.elsewhere = frame.what

    def _send(self, rank: Rank, frame: SendFrame) -> None:
        unknown = Value((0, ()), knowledge=Knowledge.UNKNOWN, reason=_NEVER_HERE)
        value = rank.values.get(frame.number, unknown)
        if self._transfers.send(frame.key, id(rank), value).received is not None:
            self._retry()

    def _receive(self, rank: Rank, frame: ReceiveFrame) -> None:
        transfer = self._transfers.receive(frame.key, id(rank), frame.device)
        transfer.received = rank.values[frame.number] = Value(frame.kind, producer=transfer)
        if transfer.sent is not None:
            self._retry()

    def _argument(self, rank: Rank, number: int, frame: ExecuteFrame, index: int) -> Value:
        if number == 0:
            return Value(frame.kinds[index], knowledge=Knowledge.UNKNOWN, reason=_NEVER_HERE)
        if number not in rank.values:
            raise FrameError(f"value {number} was never told, or already freed")
        return rank.values[number]

    def _bound_pending(self, rank: Rank) -> None:
        """Evaluate now and then: a program that never reads must not pile up its whole past."""
        rank.since_evaluation += 1
        if rank.since_evaluation < _MOST_PENDING:
            return
        rank.since_evaluation = 0
        for value in list(rank.values.values()):
            self._graph.evaluate(value)

    def _request(self, rank: Rank, frame: FetchFrame | ReadyFrame) -> None:
        value = rank.values.get(frame.number)
        if value is None:
            rank.answer(frame.request, None, "it was freed")
        elif isinstance(frame, ReadyFrame):
            self._tell_when_ready(rank, frame.request, value)
        else:
            self._answer_or_wait(rank, frame.request, value)

    def _answer_or_wait(self, rank: Rank, request: int, value: Value) -> None:
        rank.waiting.pop(request, None)  # while the host is asked, nobody else is to try this one
        blocker = self._graph.evaluate(value)
        if blocker is not None:
            rank.waiting[request] = (value, blocker)
        else:
            rank.answer(request, value.data, value.reason)
        if self._graph.asked:
            self._graph.asked = False
            self._retry()

    def _retry(self) -> None:
        for rank in list(self.ranks):
            for request, (value, blocker) in list(rank.waiting.items()):
                if request in rank.waiting and (blocker.done or not self._graph.waits(blocker)):
                    self._answer_or_wait(rank, request, value)
            for request, (value, blocker) in list(rank.waiting_to_be_ready.items()):
                if blocker.done or not blocker.missing():
                    self._tell_when_ready(rank, request, value)

    def deadlocks(self) -> Iterator[Deadlock]:
        """Yield the collectives that somebody waits for and that can never be whole, as things stand now.

        Certain when every rank that is missing has gone or waits itself; to be asked only when nothing was
        received for a while, since a rank may wait in one thread and go on in another.
        """
        blockers = {id(each): each for rank in self.ranks for each in rank.blockers if each.missing()}
        for producer in blockers.values():
            absent = [rank for rank in self.ranks if id(rank) not in producer.ranks]
            yield Deadlock(
                program=producer.name,
                waiting=tuple(r.name for r in self.ranks if any(each is producer for each in r.blockers)),
                missing=tuple(self._missing(producer, absent)),
                certain=all(rank.stuck for rank in absent),
            )
        yield from self._stuck_elsewhere()

    def _stuck_elsewhere(self) -> Iterator[Deadlock]:
        """Yield what ranks wait for out of our sight; certain when nobody is left who could come."""
        for rank in self.ranks:
            if rank.elsewhere:
                others = [other for other in self.ranks if other is not rank]
                yield Deadlock(
                    program=rank.elsewhere,
                    waiting=(rank.name,),
                    missing=tuple(self._whereabouts(other) for other in others),
                    certain=all(other.stuck for other in others),
                )

    def notes(self) -> list[str]:
        """Return what a person should know at the end."""
        return list(self._transfers.notes())

    def _missing(self, producer: Producer, absent: list[Rank]) -> Iterator[str]:
        """Yield who has not entered, and where they are; of a transfer any other rank may be the sender."""
        missing = set(producer.missing())
        here = {device for rank in absent for device in rank.devices}
        for rank in absent:
            if isinstance(producer, Transfer) or missing & set(rank.devices):
                yield self._whereabouts(rank)
        if isinstance(producer, Execution):
            for device in sorted(missing - here):
                yield f"device {device}: its process is gone or never started"

    def _whereabouts(self, rank: Rank) -> str:
        waits = {producer.name for producer in rank.blockers} | {rank.elsewhere} - {""}
        return f"{rank.name}: " + (f"waits in {', '.join(sorted(waits))}" if waits else "is busy elsewhere")

    def give_up(self) -> None:
        """Answer everybody who waits with «not known»."""
        for rank in self.ranks:
            for request, (value, _) in list(rank.waiting.items()):
                value.give_up("a collective that it depends on can never happen")
                del rank.waiting[request]
                rank.answer(request, None, value.reason)
            for request in list(rank.waiting_to_be_ready):
                del rank.waiting_to_be_ready[request]
                rank.answer(request, None, "a collective that it depends on can never happen")
            rank.elsewhere = ""

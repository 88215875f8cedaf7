"""Frames from the plugin: the reading end of ``native/values/protocol.h``.

A frame is: 4 bytes with the number of bytes that follow, 1 byte kind, body. Numbers are little-endian; texts
and lists have their length in front (4 bytes; 8 bytes for the bytes of a value or program).
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

PROTOCOL_VERSION = 2

_HEAD = struct.Struct("<IB")


class FrameKind(IntEnum):
    """Kinds of frames; the numbers are part of the protocol."""

    HELLO = 1
    PROGRAM = 2
    VALUE = 3
    EXECUTE = 4
    FREE = 5
    FETCH = 6
    SEND = 7
    RECEIVE = 8
    GIVE = 9
    ASK = 10
    WAIT = 11
    READY = 12


type ArrayKind = tuple[int, tuple[int, ...]]
"""Element type (number of the PJRT ABI) and dimensions."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A process of the rehearsed program, and the devices it owns."""

    version: int
    process_id: int
    devices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProgramFrame:
    """A program that may be executed. ``flops`` and ``memory_bytes`` are of one device."""

    number: int
    hash: str
    name: str
    replicas: int
    partitions: int
    collectives: bool
    flops: float
    memory_bytes: int
    devices: tuple[int, ...]
    outputs: tuple[ArrayKind, ...]
    options: bytes
    code: bytes


@dataclass(frozen=True, slots=True)
class ValueFrame:
    """A value that was on the host."""

    number: int
    kind: ArrayKind
    data: bytes


@dataclass(frozen=True, slots=True)
class ExecuteFrame:
    """One execution: ``arguments`` holds ids by device (0: unknown), outputs count on from ``first_output``.

    ``kinds`` are the arguments' types, and empty when every argument has an id (whose type is known).
    """

    program: int
    first_output: int
    places: tuple[int, ...]
    arguments: tuple[tuple[int, ...], ...]
    kinds: tuple[ArrayKind, ...]
    request: int = 0
    """Answered when it was computed, and asked what the program wants of the host; 0: nothing."""


@dataclass(frozen=True, slots=True)
class FreeFrame:
    """A value that will not be used again."""

    number: int


@dataclass(frozen=True, slots=True)
class FetchFrame:
    """A question for a value."""

    request: int
    number: int


@dataclass(frozen=True, slots=True)
class SendFrame:
    """A value (0: unknown) that goes to another process under a key."""

    key: str
    number: int


@dataclass(frozen=True, slots=True)
class ReceiveFrame:
    """A value that comes under a key, on a device."""

    key: str
    number: int
    kind: ArrayKind
    device: int


@dataclass(frozen=True, slots=True)
class GiveFrame:
    """The host's answer to a question: what its functions returned, or the error of one."""

    request: int
    error: str
    data: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ReadyFrame:
    """A question for when no other process needs to be waited for before a value can be read."""

    request: int
    number: int


@dataclass(frozen=True, slots=True)
class WaitFrame:
    """What the process waits for elsewhere, out of the service's sight; empty: no longer."""

    what: str


type Frame = (
    Hello
    | ProgramFrame
    | ValueFrame
    | ExecuteFrame
    | FreeFrame
    | FetchFrame
    | SendFrame
    | ReceiveFrame
    | GiveFrame
    | ReadyFrame
    | WaitFrame
)


class FrameError(ValueError):
    """The bytes are no frame of this protocol."""


class _Body:
    """Reads a frame's body from the front."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> memoryview:
        if size < 0 or self.at + size > len(self.data):
            raise FrameError("a frame ends early")
        piece = self.data[self.at : self.at + size]
        self.at += size
        return piece

    def byte(self) -> int:
        return self.take(1)[0]

    def ints(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self.take(4 * count))

    def longs(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}Q", self.take(8 * count))

    def count(self) -> int:
        return self.ints(1)[0]

    def long(self) -> int:
        return self.longs(1)[0]

    def real(self) -> float:
        value: float = struct.unpack("<d", self.take(8))[0]
        return value

    def text(self) -> str:
        return bytes(self.take(self.count())).decode("utf-8", "replace")

    def blob(self) -> bytes:
        return bytes(self.take(self.long()))

    def kind(self) -> ArrayKind:
        element = self.byte()
        return element, self.longs(self.count())


def _hello(body: _Body) -> Hello:
    version, process_id, count = body.ints(3)
    return Hello(version, process_id, body.ints(count))


def _program(body: _Body) -> ProgramFrame:
    number, digest, name = body.long(), body.text(), body.text()
    replicas, partitions = body.ints(2)
    collectives, flops, memory_bytes = bool(body.byte()), body.real(), body.long()
    devices = body.ints(body.count())
    outputs = tuple(body.kind() for _ in range(body.count()))
    options, code = body.blob(), body.blob()
    return ProgramFrame(
        number,
        digest,
        name,
        replicas,
        partitions,
        collectives,
        flops,
        memory_bytes,
        devices,
        outputs,
        options,
        code,
    )


def _value(body: _Body) -> ValueFrame:
    return ValueFrame(body.long(), body.kind(), body.blob())


def _execute(body: _Body) -> ExecuteFrame:
    request, program, first_output = body.longs(3)
    places = body.ints(body.count())
    count = body.count()
    arguments = tuple(body.longs(count) for _ in places)
    kinds = tuple(body.kind() for _ in range(count)) if body.byte() else ()
    return ExecuteFrame(program, first_output, places, arguments, kinds, request)


def _give(body: _Body) -> GiveFrame:
    request, error = body.long(), body.text()
    return GiveFrame(request, error, tuple(body.blob() for _ in range(body.count())))


def _fetch(body: _Body) -> FetchFrame:
    return FetchFrame(*body.longs(2))


_READERS: dict[FrameKind, Callable[[_Body], Frame]] = {
    FrameKind.HELLO: _hello,
    FrameKind.PROGRAM: _program,
    FrameKind.VALUE: _value,
    FrameKind.EXECUTE: _execute,
    FrameKind.FREE: lambda body: FreeFrame(body.long()),
    FrameKind.FETCH: _fetch,
    FrameKind.GIVE: _give,
    FrameKind.READY: lambda body: ReadyFrame(*body.longs(2)),
    FrameKind.SEND: lambda body: SendFrame(body.text(), body.long()),
    FrameKind.WAIT: lambda body: WaitFrame(body.text()),
    FrameKind.RECEIVE: lambda body: ReceiveFrame(body.text(), body.long(), body.kind(), body.count()),
}


class FrameBuffer:
    """Collects received bytes and yields whole frames."""

    def __init__(self) -> None:
        """Start empty."""
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Add bytes; return the frames that are now whole. FrameError when they are not of this protocol."""
        self._bytes += data
        frames: list[Frame] = []
        at = 0
        with memoryview(self._bytes) as view:
            while at + _HEAD.size <= len(view):
                size, kind = _HEAD.unpack_from(view, at)
                end = at + 4 + size
                if size < 1:
                    raise FrameError("a frame without a kind")
                if end > len(view):
                    break
                frames.append(_read(kind, view[at + _HEAD.size : end]))
                at = end
        del self._bytes[:at]
        return frames


def _read(kind: int, data: memoryview) -> Frame:
    if kind not in _READERS:
        raise FrameError(f"frame of unknown kind {kind}")
    return _READERS[FrameKind(kind)](_Body(data))


def answer(request: int, data: bytes | None, reason: str = "") -> bytes:
    """Return the frame that answers a fetch; without ``data`` the value is not known, for this reason."""
    return _told(FrameKind.FETCH, request, reason.encode() if data is None else data, known=data is not None)


@dataclass(frozen=True, slots=True)
class Question:
    """What a program wants of the host at one place: what it sends and the sizes it receives, by channel."""

    place: int
    sends: tuple[tuple[int, bytes], ...]
    receives: tuple[tuple[int, int], ...]


def ask(request: int, question: Question) -> bytes:
    """Return the frame that asks the host."""
    body = struct.pack("<II", question.place, len(question.sends))
    for channel, data in question.sends:
        body += struct.pack("<QQ", channel, len(data)) + data
    body += struct.pack("<I", len(question.receives))
    for channel, size in question.receives:
        body += struct.pack("<QQ", channel, size)
    return _told(FrameKind.ASK, request, body, known=True)


def _told(kind: FrameKind, request: int, body: bytes, *, known: bool) -> bytes:
    head = struct.pack("<BQBQ", kind, request, known, len(body))
    return struct.pack("<I", len(head) + len(body)) + head + body

"""Host callbacks in a StableHLO module: chains of sends and receives become calls of a Python function.

A callback is lowered for a TPU as sends of its arguments and then receives of its results, one after the
other along a token. Each such chain is one call here, wherever it stands, in a loop or a branch as well.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module

from .elements import Foreign, dtype_of, kind_of
from .python_calls import PythonCalls

type Ask = Callable[[dict[str, object], list[bytes]], list[bytes]]
"""Asks the host: where and on which channels, with what is sent; returns what it gives."""


class HostCallbackError(RuntimeError):
    """A function of the host failed; says how."""


@dataclass(eq=False)
class HostCall:
    """One callback: what it is sent and what it gives."""

    token: Foreign
    sends: list[Foreign] = field(default_factory=list)
    receives: list[Foreign] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    """Channels, in the order of the arguments."""
    received: list[tuple[int, int, list[int]]] = field(default_factory=list)
    """Channels, and the element type and dimensions of what comes on each."""
    silent: bool = False
    """Its arguments are not known in this run, so it is not called."""
    place: int | None = 0
    """The partition that calls; None when each does."""


class HostCalls:
    """The callbacks of one program."""

    def __init__(self, operations: Iterable[Foreign], width: int, calls: PythonCalls) -> None:
        """Replace the sends and receives of a program on ``width`` devices."""
        self._stablehlo = import_module("jaxlib.mlir.dialects.stablehlo")
        self._ir = import_module("jaxlib.mlir.ir")
        self._numpy = import_module("numpy")
        self.ask: Ask | None = None
        self.calls = _chains(operations)
        self.operations = [self._replace(call, width, calls) for call in self.calls]
        """The calls' operations, in the same order."""

    def _replace(self, call: HostCall, width: int, calls: PythonCalls) -> Foreign:
        call.sent = [_channel(send) for send in call.sends]
        call.received = [(_channel(each), *kind_of(each.results[0].type)) for each in call.receives]
        before = (call.receives or call.sends)[0 if call.receives else -1]
        call.place = _single_place(before, width)
        operands = [call.token, *(send.operands[0] for send in call.sends)]
        if call.place is None:
            with self._ir.InsertionPoint(before), before.location:
                operands += [self._stablehlo.partition_id(), self._stablehlo.replica_id()]
        kinds = [call.token.type, *(each.results[0].type for each in call.receives)]
        token, *values = calls.insert(before, lambda *a: self._answer(call, width, *a), operands, kinds)
        for receive, value in zip(call.receives, values, strict=True):
            receive.results[0].replace_all_uses_with(value)
        for each in (*call.sends, *call.receives):
            each.results[-1].replace_all_uses_with(token)
        for each in (*reversed(call.receives), *reversed(call.sends)):
            each.erase()
        return token.owner

    def _answer(self, call: HostCall, width: int, token: Foreign, *arguments: Foreign) -> tuple[Foreign, ...]:
        """Answer the program: ask the host, or give zeros in place of what nobody may look at."""
        if call.silent or self.ask is None:
            return (token, *(self._numpy.zeros(dims, dtype_of(kind)) for _, kind, dims in call.received))
        place = call.place
        if place is None:
            *arguments_, partition, replica = arguments
            arguments = tuple(arguments_)
            place = int(partition) + int(replica) * width
        sizes = [
            (channel, dtype_of(kind).itemsize * int(self._numpy.prod(dims)))
            for channel, kind, dims in call.received
        ]
        question = {"place": place, "sends": call.sent, "receives": sizes}
        given = self.ask(question, [self._numpy.ascontiguousarray(each).tobytes() for each in arguments])
        pairs = zip(given, call.received, strict=True)
        return (token, *(self._array(data, kind, dims) for data, (_, kind, dims) in pairs))

    def _array(self, data: bytes, kind: int, dims: list[int]) -> Foreign:
        return self._numpy.frombuffer(data, dtype_of(kind)).reshape(dims)


def _chains(operations: Iterable[Foreign]) -> list[HostCall]:
    """Group sends and receives: a send after a receive begins the next callback of an ordered chain."""
    calls: list[HostCall] = []
    by_token: dict[Foreign, HostCall] = {}
    for operation in operations:
        if operation.name not in ("stablehlo.send", "stablehlo.recv"):
            continue
        token = operation.operands[-1]
        call = by_token.get(token)
        if call is None or (operation.name == "stablehlo.send" and call.receives):
            call = HostCall(token)
            calls.append(call)
        (call.sends if operation.name == "stablehlo.send" else call.receives).append(operation)
        by_token[operation.results[-1]] = call
    return calls


def _channel(operation: Foreign) -> int:
    found = re.search(r"handle = (\d+)", str(operation.attributes["channel_handle"]))
    return int(found[1]) if found else -1


def _single_place(operation: Foreign, width: int) -> int | None:
    """Return the one partition that an operation is placed on; None when each has its own."""
    if width == 1:
        return 0
    for name in ("sdy.sharding", "mhlo.sharding"):
        if name in operation.attributes:
            found = re.search(r"maximal(?:_mesh_| device=)(\d+)", str(operation.attributes[name]))
            if found:
                return int(found[1])
    return None

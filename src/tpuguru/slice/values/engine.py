"""The computing child process: started when first needed, started again when XLA:CPU takes it down."""

import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from select import select
from typing import Any

from tpuguru.slice.values.frames import Question
from tpuguru.slice.values.graph import Execution, HostError, Program
from tpuguru.slice.worker import worker_command

_MIB = 2**20


class EngineDied(Exception):  # noqa: N818 - it is what happened, not an error of ours
    """The child ended, or did not answer in time."""


class CpuEngine:
    """Computes programs up to a size in a child process with the user's own jaxlib."""

    def __init__(
        self,
        python: str,
        *,
        most_flops: float = 2e10,
        most_bytes: int = 256 * _MIB,
        patience_seconds: float = 120,
    ) -> None:
        """Use this interpreter. The limits are for all devices of a program together, and for one answer."""
        self._python = python
        self._most_flops = most_flops
        self._most_bytes = most_bytes
        self._patience = patience_seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._devices = 0
        self._prepared: set[str] = set()
        self._running = 0
        """Programs that run now: more than one where the host, asked by one, wants values of another."""

    def prepare(self, program: Program) -> None:
        """Compile for the CPU; fill ``dependencies`` or ``objection``."""
        frame = program.frame
        if frame.flops * program.width > self._most_flops:
            program.objection = "it is too much to compute here"
        elif frame.memory_bytes * program.width > self._most_bytes:
            program.objection = "its arrays are too big to compute here"
        else:
            self._prepare(program)

    def warm_up(self, devices: int) -> None:
        """Start the child, which imports JAX while the program compiles."""
        self._start(devices)

    def _prepare(self, program: Program) -> None:
        frame = program.frame
        header = {
            "do": "prepare",
            "key": frame.hash,
            "replicas": frame.replicas,
            "partitions": frame.partitions,
            "outputs": [[element, list(dims)] for element, dims in frame.outputs],
        }
        try:
            self._start(program.width)
            answer, _ = self._ask(header, [frame.options, frame.code])
        except EngineDied as death:
            program.objection = str(death)
            return
        if "error" in answer:
            program.objection = str(answer["error"])
            return
        program.dependencies, program.host_calls = (
            tuple(each if isinstance(each, str) else tuple(each) for each in answer[name])
            for name in ("depends", "host_calls")
        )
        self._prepared.add(frame.hash)

    def run(self, execution: Execution) -> list[list[bytes]] | None:
        """Compute one execution; None when the child could not."""
        program = execution.program
        places = [execution.arguments_at(place) for place in range(program.width)]
        header = {
            "do": "run",
            "key": program.frame.hash,
            "arguments": [value.kind for value in places[0]],
            "silent": list(execution.silent),
        }
        blobs = [value.data or b"" for arguments in places for value in arguments]
        try:
            if program.width > self._devices or program.frame.hash not in self._prepared:
                self._prepare(program)
            answer, outputs = self._converse(execution, header, blobs)
        except EngineDied as death:
            program.objection = str(death)
            return None
        if execution.failure:
            return None  # not the program's fault: the next execution may be different
        if "error" in answer:
            program.objection = str(answer["error"])
            return None
        count = len(program.frame.outputs)
        return [outputs[place * count : (place + 1) * count] for place in range(program.width)]

    def _converse(
        self, execution: Execution, header: dict[str, Any], blobs: list[bytes]
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Run, and ask the host what the program wants of it meanwhile."""
        self._running += 1
        try:
            answer, outputs = self._ask(header, blobs)
            while "host" in answer:
                answer, outputs = self._ask(*_asked(execution, answer["host"], outputs))
            return answer, outputs
        finally:
            self._running -= 1

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def _start(self, devices: int) -> None:
        """Have a child with at least so many devices."""
        if self._child is not None and self._child.poll() is None and devices <= self._devices:
            return
        if self._running:
            raise EngineDied(f"it needs {devices} devices while a host callback waits for it")
        self.close()
        self._devices = max(devices, self._devices)
        self._prepared.clear()
        self._child = subprocess.Popen(
            worker_command(self._python, "values_engine", str(self._devices)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def _ask(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        child = self._child
        if child is None or child.stdin is None:
            raise EngineDied("the computing process is not running")
        text = json.dumps(header).encode()
        message = b"".join([struct.pack("<II", len(text), len(blobs)), text, *_prefixed(blobs)])
        try:
            _write_all(child.stdin.fileno(), message)
        except OSError as error:
            raise self._died() from error
        return self._answer()

    def _answer(self) -> tuple[dict[str, Any], list[bytes]]:
        deadline = time.monotonic() + self._patience
        size, count = struct.unpack("<II", self._read(8, deadline))
        header: dict[str, Any] = json.loads(self._read(size, deadline))
        blobs = [self._read(struct.unpack("<Q", self._read(8, deadline))[0], deadline) for _ in range(count)]
        return header, blobs

    def _read(self, size: int, deadline: float) -> bytes:
        assert self._child is not None and self._child.stdout is not None  # noqa: S101, PT018 - set by _start
        stream = self._child.stdout
        pieces = bytearray()
        while len(pieces) < size:
            if not select([stream], [], [], max(deadline - time.monotonic(), 0))[0]:
                self.close()
                raise EngineDied(f"the CPU took more than {self._patience:.0f} s")
            piece = stream.read(size - len(pieces))
            if not piece:
                raise self._died()
            pieces += piece
        return bytes(pieces)

    def _died(self) -> EngineDied:
        self.close()
        return EngineDied("XLA:CPU aborted on it")


def _asked(
    execution: Execution, wanted: dict[str, Any], sent: list[bytes]
) -> tuple[dict[str, Any], list[bytes]]:
    """Ask the host what the program wants; return the message for the child."""
    place = int(wanted["place"])
    question = Question(
        place,
        tuple(zip(wanted["sends"], sent, strict=True)),
        tuple((channel, size) for channel, size in wanted["receives"]),
    )
    host = execution.hosts.get(place) or next(iter(execution.hosts.values()))
    try:
        return {"do": "give", "error": ""}, host(question)
    except HostError as error:
        execution.failure = str(error)
        return {"do": "give", "error": str(error)}, []


def _prefixed(blobs: list[bytes]) -> Iterator[bytes]:
    for blob in blobs:
        yield struct.pack("<Q", len(blob))
        yield blob


def _write_all(descriptor: int, message: bytes) -> None:
    with memoryview(message) as left:
        done = 0
        while done < len(left):
            done += os.write(descriptor, left[done:])


def default_python() -> str:
    """Return the interpreter that computes when nobody names one: our own."""
    return sys.executable

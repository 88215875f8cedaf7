"""Compute small programs for real on XLA:CPU. Runs in the user's Python, with this package alone.

Requests come on the standard input, answers go to the standard output (see ``messages``). XLA:CPU may abort
on programs made for a TPU; whoever started us starts us again.
"""

import os
import sys
import threading
from importlib import import_module
from typing import Any, BinaryIO

from .host_calls import HostCallbackError
from .messages import read_message, write_message
from .program import Program


class Server:
    """Answers requests; while a program runs, asks what the program wants of the host."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Read from one stream and write to the other."""
        self._requests, self._answers = requests, answers
        self._programs: dict[str, Program] = {}
        self._asking = threading.Lock()

    def serve(self) -> None:
        """Answer until the requests end."""
        while (message := read_message(self._requests)) is not None:
            self._answer(*message)

    def _answer(self, header: dict[str, Any], blobs: list[bytes]) -> None:
        try:
            told, data = self._done(header, blobs)
        except Exception as error:  # noqa: BLE001 - any failure means: this program's values stay unknown
            told, data = {"error": f"{type(error).__name__}: {error}"[:500]}, []
        write_message(self._answers, told, data)

    def _done(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        if header["do"] == "prepare":
            program = self._programs[header["key"]] = Program(header, blobs[0], blobs[1])
            return {"depends": program.depends, "host_calls": program.host_calls}, []
        program = self._programs[header["key"]]
        return {}, program.run(header["arguments"], blobs, header["silent"], self._ask)

    def _ask(self, question: dict[str, object], blobs: list[bytes]) -> list[bytes]:
        """Ask for the host's answer; called on a thread of XLA's.

        The host may want values itself before it answers, so other requests come first.
        """
        with self._asking:
            write_message(self._answers, {"host": question}, blobs)
            while (message := read_message(self._requests)) is not None:
                header, answer = message
                if header["do"] != "give":
                    self._answer(header, answer)
                elif header["error"]:
                    raise HostCallbackError(header["error"])
                else:
                    return answer
        raise HostCallbackError("nobody answers")


def main() -> None:
    """Keep the answers' channel for ourselves: libraries print to the standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.environ.update(
        JAX_PLATFORMS="cpu",
        XLA_FLAGS=f"--xla_force_host_platform_device_count={int(sys.argv[1])}",
        JAX_ENABLE_X64="1",
        TF_CPP_MIN_LOG_LEVEL="3",
        OPENBLAS_NUM_THREADS="1",  # kernels' matrices are small, and XLA has threads of its own
    )
    import_module("jax")  # takes a second, which nobody waits for before the first request
    Server(sys.stdin.buffer, answers).serve()


if __name__ == "__main__":
    main()

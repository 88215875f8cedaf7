"""Compute small programs for real on XLA:CPU. Runs in the user's Python, with this package alone.

Requests come on the standard input, answers go to the standard output (see ``messages``). XLA:CPU may abort
on programs made for a TPU; whoever started us starts us again.
"""

import os
import sys
from typing import BinaryIO

from .messages import read_message, write_message
from .program import Program


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the requests end."""
    programs: dict[str, Program] = {}
    while (message := read_message(requests)) is not None:
        header, blobs = message
        try:
            if header["do"] == "prepare":
                program = programs[header["key"]] = Program(header, blobs[0], blobs[1])
                told = {"depends": program.depends, "sends": program.sends, "receives": program.receives}
                write_message(answers, told, [])
            else:
                write_message(answers, {}, programs[header["key"]].run(header["arguments"], blobs))
        except Exception as error:  # noqa: BLE001 - any failure means: this program's values stay unknown
            write_message(answers, {"error": f"{type(error).__name__}: {error}"[:500]}, [])


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
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()

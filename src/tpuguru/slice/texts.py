"""The readable forms of recorded programs, written while the rehearsal runs on what it leaves idle."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tpuguru.slice.worker import worker_command

_SECONDS_AT_THE_END = 120


@contextmanager
def texts_written(programs: Path, python: Path | None) -> Iterator[None]:
    """Write texts beside the bytes under ``programs`` during the block, with the JAX of ``python``, if any.

    After the block all are there, or the bytes alone: who wants a text can still make it.
    """
    if python is None:
        yield
        return
    worker = subprocess.Popen(
        worker_command(str(python), "record_texts", str(programs)),
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the program; this ends when its standard input does
    )
    try:
        yield
        _finish(worker)
    finally:
        worker.kill()
        worker.wait()


def _finish(worker: "subprocess.Popen[bytes]") -> None:
    try:
        worker.communicate(timeout=_SECONDS_AT_THE_END)
    except subprocess.TimeoutExpired:
        return

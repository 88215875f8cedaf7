"""Find uv, which is one of the core's dependencies, and run it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tpuguru.base.errors import ToolFailureError
from tpuguru.base.redaction import redact

_LAST_LINES = 12


def find_uv() -> Path:
    """Return uv: beside the running Python, else on PATH. ToolFailureError when there is none."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise ToolFailureError("uv was not found", help=f"{sys.executable} -m pip install uv")
    return Path(found)


def run_uv(arguments: Sequence[str], *, purpose: str) -> None:
    """Run uv and wait. ToolFailureError with the last lines of what it said; an interrupt ends uv first."""
    process = subprocess.Popen(
        [str(find_uv()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "UV_NO_PROGRESS": "1", "NO_COLOR": "1", "VIRTUAL_ENV": ""},
    )
    try:
        output, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if process.returncode != 0:
        raise _failure(purpose, output)


def _failure(purpose: str, output: str) -> ToolFailureError:
    lines = [line.rstrip() for line in redact(output).splitlines() if line.strip()]
    if any("No space left on device" in line for line in lines):
        return ToolFailureError(
            f"{purpose} failed: no space left on the device", help="free some space, then again"
        )
    said = "\n  ".join(lines[-_LAST_LINES:])
    return ToolFailureError(
        f"{purpose} failed; uv said:\n  {said}",
        help="run the same command again to go on from what is already downloaded",
    )

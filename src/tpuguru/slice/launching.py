"""Start the launcher, the process between us and a user's program, and read what it tells."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_GIB = 2**30


def start_launcher(
    *,
    command: Sequence[str],
    folder: Path,
    environments: list[dict[str, str]],
    seconds: float,
    memory_bytes: int,
    network: bool,
) -> "subprocess.Popen[str]":
    """Start a command, once for each of ``environments``. ``memory_bytes`` 0: most of what is free now."""
    job = {
        "command": list(command),
        "folder": str(folder),
        "environments": environments,
        "seconds": seconds,
        "memory_bytes": memory_bytes or _most_of_memory(),
        "network": network,
    }
    launcher = subprocess.Popen(
        [sys.executable, "-m", "tpuguru.slice.launcher"],
        env=_own_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert launcher.stdin is not None  # noqa: S101 - it was asked for
    launcher.stdin.write(json.dumps(job) + "\n")
    launcher.stdin.flush()
    return launcher


def events_of(launcher: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    """Yield what it tells until it ends; see slice.launcher for what that is."""
    assert launcher.stdout is not None  # noqa: S101 - it was asked for
    for line in launcher.stdout:
        yield json.loads(line)


def _most_of_memory() -> int:
    """Return nine tenths of the memory that is free now, at least 1 GiB."""
    return max(free_memory() * 9 // 10, _GIB)


def free_memory() -> int:
    """Return the bytes of memory that this machine could give away now."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return _GIB


def _own_environment() -> dict[str, str]:
    """Return an environment in which this very tpuguru is found, installed or not."""
    root = str(Path(__file__).resolve().parents[2])
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    }

"""Make an environment so that it is there whole or not at all, whoever else makes it at the same time."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tpuguru.aot.locks import file_lock
from tpuguru.aot.toolchains.data import ToolchainData
from tpuguru.aot.toolchains.interface import Progress
from tpuguru.aot.toolchains.interpreter import find_interpreter
from tpuguru.aot.toolchains.uv import run_uv
from tpuguru.base.errors import ToolFailureError
from tpuguru.base.units import format_bytes

_MARKER = ".tpuguru-complete.json"


def is_complete(folder: Path) -> bool:
    """Tell whether ``folder`` was completed: the marker is written last, before the folder gets its name."""
    return (folder / _MARKER).is_file()


def build(folder: Path, lock: Path, data: ToolchainData, progress: Progress) -> None:
    """Build under a temporary name and rename. A second installer waits, then finds the work done."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    guard = folder.with_name(f".{folder.name}.lock")
    with file_lock(
        guard, on_wait=lambda: progress(f"another process is installing {data.key}; waiting for it")
    ):
        if is_complete(folder):
            return
        _remove_leftovers(folder)
        _require_platform(data)
        _require_space(folder.parent, data)
        building = folder.with_name(f".{folder.name}.building-{os.getpid()}")
        try:
            _fill(building, lock, data, progress)
            building.rename(folder)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise
        progress(f"{data.key} is installed in {folder}")


def remove(folder: Path) -> None:
    """Delete the environment, its marker first, so that an interrupted removal does not look whole."""
    with suppress(FileNotFoundError):
        (folder / _MARKER).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Delete what a killed installer left. Only under the lock: whatever is there then belongs to nobody."""
    for leftover in folder.parent.glob(f".{folder.name}.building-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    remove(folder)


def _require_platform(data: ToolchainData) -> None:
    here = f"{platform.machine()}-{sys.platform}"
    if "manylinux" in data.platform and here != "x86_64-linux":
        raise ToolFailureError(
            f"{data.key} exists for x86_64-linux only, and this machine is {here}",
            help="use --executor container on a machine that has such an image, or a Linux machine",
        )


def _require_space(parent: Path, data: ToolchainData) -> None:
    free = shutil.disk_usage(parent).free
    if free < data.disk_bytes:
        raise ToolFailureError(
            f"{data.key} needs {format_bytes(data.disk_bytes)} in {parent}; {format_bytes(free)} are free",
            help="free some space, or set XDG_CACHE_HOME to a larger disk",
        )


def _fill(building: Path, lock: Path, data: ToolchainData, progress: Progress) -> None:
    started = time.monotonic()
    interpreter = find_interpreter(data.python)
    progress(f"making the environment of {data.key} with Python {interpreter}")
    run_uv(
        ["venv", "--quiet", "--relocatable", "--no-project", "--python", interpreter, str(building)],
        purpose=f"making the environment of {data.key}",
    )
    count = lock.read_text(encoding="utf-8").count("==")
    progress(f"installing {count} packages, hash-checked, {format_bytes(data.disk_bytes)} on disk")
    run_uv(
        [
            *("pip", "install", "--quiet", "--no-deps", "--require-hashes"),
            *("--python", str(building / "bin" / "python"), "--requirement", str(lock)),
        ],
        purpose=f"installing {data.key}",
    )
    _smoke(building, data)
    (building / "tpuguru-lock.txt").write_bytes(lock.read_bytes())
    facts = {
        "toolchain": data.key,
        "seconds": round(time.monotonic() - started, 1),
        "interpreter": interpreter,
    }
    (building / _MARKER).write_text(json.dumps(facts), encoding="utf-8")
    os.sync()


def _smoke(building: Path, data: ToolchainData) -> None:
    code = "; ".join(f"import {module}" for module in data.smoke)
    done = subprocess.run(
        [str(building / "bin" / "python"), "-P", "-s", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu", "TPU_SKIP_MDS_QUERY": "1"},
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ToolFailureError(f"{data.key} was installed but does not import: {last}")

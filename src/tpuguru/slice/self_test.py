"""Ask once for each libtpu whether the plugin can rely on it: versions, calls, three tiny programs."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import cache_directory
from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.settings import SliceSettings, tpu_slice

# Runs in a child process: a libtpu that does not fit may crash.
_QUESTION = """
import ctypes, sys
text = ctypes.create_string_buffer(4096)
ctypes.CDLL(sys.argv[1]).TpuguruSliceSelfTest(text, len(text))
sys.stdout.write("objection:" + text.value.decode("utf-8", "replace"))
"""
_SLICE = "v6e:2x2"
_SECONDS = 300


def require_self_test(library: Path, interpreter: Interpreter) -> None:
    """Test this pair of plugin and libtpu, unless it was tested before. UsageError when it does not fit."""
    kept = cache_directory() / "slice" / "self-tests" / f"{_key(library, interpreter.libtpu)}.json"
    objection = _kept(kept)
    if objection is None:
        objection = self_test(library, interpreter.libtpu)
        _keep(kept, objection)
    if objection:
        version = interpreter.versions.get("libtpu") or str(interpreter.libtpu)
        raise UsageError(
            f"the virtual slice does not support libtpu {version}: {objection}",
            help="install another libtpu beside the program, or a newer tpuguru",
        )


def _keep(path: Path, objection: str) -> None:
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"objection": objection}), encoding="utf-8")
        part.replace(path)
    except OSError:
        return  # it is asked again next time


def self_test(library: Path, libtpu: Path) -> str:
    """Return why the plugin cannot rely on this libtpu; empty when it can."""
    settings = SliceSettings(slice=tpu_slice(_SLICE), library=library, libtpu=libtpu)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _QUESTION, str(library)],
            env=os.environ | settings.environment(),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not compile three tiny programs in {_SECONDS} s"
    _, said, objection = done.stdout.rpartition("objection:")
    if said:
        return objection.strip().removeprefix("tpuguru virtual slice: ")
    if done.returncode < 0:
        return f"it crashed with signal {-done.returncode}"
    return (done.stderr.strip().splitlines() or ["it said nothing"])[-1]


def _key(library: Path, libtpu: Path) -> str:
    facts = [str(library.parent.name)]
    for path in (library, libtpu):
        status = path.stat()
        facts += [str(path), str(status.st_size), str(status.st_mtime_ns)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:32]


def _kept(path: Path) -> str | None:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["objection"])
    except (OSError, ValueError, KeyError, TypeError):
        return None

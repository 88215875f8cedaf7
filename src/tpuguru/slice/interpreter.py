"""The user's Python: which interpreter a command runs, and where its libtpu is."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import UsageError

_QUESTION = """
import importlib.metadata as m, importlib.util as u, json, sys
def origin(name):
    spec = u.find_spec(name)
    return next(iter(spec.submodule_search_locations or []), "") if spec else ""
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return ""
print(json.dumps({"python": sys.executable, "libtpu": origin("libtpu"),
    "versions": {n: version(n) for n in ("jax", "jaxlib", "libtpu", "torch", "torch_tpu", "vllm_torchtpu")}}))
"""
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python with libtpu. ``versions`` holds those of jax, jaxlib, libtpu, torch and torch_tpu it has."""

    python: Path
    libtpu: Path
    versions: dict[str, str]

    @property
    def has_jaxlib(self) -> bool:
        """Whether it can compute small programs on XLA:CPU."""
        return bool(self.versions.get("jaxlib")) and bool(self.versions.get("jax"))


def interpreter_of(command: list[str]) -> Path:
    """Return the interpreter that ``command`` will run.

    That is itself, its script's first line, one that it names (``env A=1 python train.py``), or PATH's.
    UsageError when the command does not exist.
    """
    found = shutil.which(command[0])
    if found is None:
        raise UsageError(f"there is no command {command[0]!r}", help="give the command as you would type it")
    if Path(found).name.startswith("python"):
        return Path(found)
    named = first_line_interpreter(Path(found))
    if named:
        return named
    pythons = (word for word in command[1:] if Path(word).name.startswith("python"))
    python = next(filter(None, map(shutil.which, (*pythons, "python", "python3"))), None)
    if python is None:
        raise UsageError(f"no Python is on PATH, so it is not clear what {command[0]!r} would run")
    return Path(python)


def first_line_interpreter(script: Path) -> Path | None:
    """Return the Python that an installed command's first line names; None when it names none."""
    with script.open("rb") as file:
        first = file.readline(1024)
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", "replace").split()
    for word in words:
        if Path(word).name.startswith("python"):
            found = shutil.which(word)
            return Path(found) if found else None
    return None


def inspect_interpreter(python: Path) -> Interpreter:
    """Ask an interpreter for its libtpu, importing nothing. UsageError when it has none or does not run."""
    try:
        done = subprocess.run(
            [str(python), "-c", _QUESTION], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        told = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError):
        told = None
    if told is None:
        raise UsageError(f"{python} does not run as a Python interpreter")
    libtpu = os.environ.get("TPUGURU_SLICE_LIBTPU") or f"{told['libtpu']}/libtpu.so"
    if not Path(libtpu).is_file():
        raise UsageError(
            f"{python} has no libtpu, whose compiler the virtual slice uses",
            help=f"{python} -m pip install libtpu  (libtpu is never shipped with tpuguru)",
        )
    return Interpreter(Path(told["python"]), Path(libtpu), told["versions"])

"""Compile the plugin's C++ sources, with the system's compiler or the one that is a package (ziglang).

The package's own build (scripts/build_plugin.py) uses this module too, where nothing but Python is installed.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tpuguru.base.errors import ToolFailureError, UsageError

LIBRARY_NAME = "libtpuguru_slice.so"
# A library made by ziglang runs with this glibc and newer ones; libtpu's own wheels ask for 2.31.
OLDEST_GLIBC = "2.28"
_MACHINES = ("x86_64", "aarch64")
_COMPILE = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden")
_LINK = ("-shared", "-Wl,-Bsymbolic", "-ldl", "-pthread")
_EXPORTS = "exports.map"
_SECONDS = 600
_BUILD_PREFIX = "tpuguru-build-"


def library_folder(sources: Path) -> str:
    """Return the name of the folder for a library of these sources on this machine."""
    return f"{platform.machine()}-{sources_key(sources)}"


def sources_key(sources: Path) -> str:
    """Return 16 digits that name the sources' content and how they are compiled."""
    digest = hashlib.sha256(" ".join(_COMPILE + _LINK).encode())
    for path in _source_files(sources, "*/*.cc", "*/*.h", _EXPORTS):
        digest.update(str(path.relative_to(sources)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def require_platform() -> None:
    """Raise UsageError where there is no libtpu: anywhere but on Linux on x86-64 or aarch64."""
    if sys.platform != "linux":
        raise UsageError(
            "the virtual slice needs Linux, as libtpu does; everything else works here",
            help="run it in a Linux container or virtual machine",
        )
    if platform.machine() not in _MACHINES:
        raise UsageError(
            f"the virtual slice needs a processor of {' or '.join(_MACHINES)}, not {platform.machine()}"
        )


def find_compiler() -> list[str]:
    """Return the C++ compiler's command: the one in $CXX, the system's, or the packaged ziglang.

    UsageError when there is none.
    """
    named = os.environ.get("CXX", "").split()
    if named:
        return named
    for name in ("g++", "clang++", "c++"):
        if path := shutil.which(name):
            return [path]
    if find_spec("ziglang"):
        return packaged_compiler()
    raise UsageError(
        "the virtual slice's plugin must be compiled once and no C++ compiler is here",
        help="install g++, or `pip install ziglang` into tpuguru's environment; then run this again",
    )


def packaged_compiler() -> list[str]:
    """Return ziglang's command, for any Linux with OLDEST_GLIBC or newer."""
    target = f"{platform.machine()}-linux-gnu.{OLDEST_GLIBC}"
    return [sys.executable, "-m", "ziglang", "c++", "-target", target]


def compile_library(sources: Path, target: Path, compiler: list[str]) -> None:
    """Compile all sources and put the library at ``target`` in one move. ToolFailureError when that fails.

    What a killed build left in ``target``'s folder is removed, so only one may compile there at a time.
    """
    for left in target.parent.glob(f"{_BUILD_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_BUILD_PREFIX, dir=target.parent) as folder:
        units = _source_files(sources, "*/*.cc")
        objects = [f"{folder}/{index}.o" for index in range(len(units))]
        compile_one = [*compiler, *_COMPILE, "-I", str(sources), "-c"]
        commands = [[*compile_one, str(unit), "-o", made] for unit, made in zip(units, objects, strict=True)]
        with _pool() as pool:
            list(pool.map(_run, commands))  # the first failure is raised here
        made = Path(folder) / LIBRARY_NAME
        exports = f"-Wl,--version-script={sources / _EXPORTS}"
        _run([*compiler, *objects, *_LINK, exports, *_own_flags(compiler), "-o", str(made)])
        made.replace(target)


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """Give a pool that an interruption or a failure ends: what waits then is not compiled."""
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _own_flags(compiler: list[str]) -> tuple[str, ...]:
    """Return flags that keep the C++ library inside: the frameworks bring copies of their own.

    ziglang always does so, with debugging information of 12 MB that nobody needs.
    """
    return ("-s",) if "ziglang" in compiler else ("-static-libstdc++", "-static-libgcc")


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolFailureError(f"the C++ compiler {command[0]} could not be run: {error}") from error
    if done.returncode:
        name = "ziglang" if "ziglang" in command else command[0]
        raise ToolFailureError(
            f"{name} failed to compile the virtual slice's plugin: {_first_error(done.stderr)}",
            help="set CXX to a compiler that knows C++17 (g++ 8, clang++ 7 or newer)",
        )


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no message")
    return error[:300]


def _source_files(sources: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in sources.glob(pattern))

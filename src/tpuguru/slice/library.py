"""The plugin as a shared library: shipped ready, or compiled once from the sources in the package."""

import fcntl
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
from tpuguru.base.locations import cache_directory, data_directory

_NAME = "libtpuguru_slice.so"
_COMPILE = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden")
_LINK = ("-shared", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-ldl", "-pthread")
_SECONDS = 600


def plugin_library() -> Path:
    """Return the plugin's path, compiling it first when no ready one of these sources is there.

    $TPUGURU_SLICE_LIBRARY names one that was made elsewhere.

    UsageError where there is no compiler or no Linux on x86-64 or aarch64; ToolFailureError when the
    compiler fails.
    """
    if sys.platform != "linux":
        raise UsageError("the virtual slice needs Linux, as libtpu does", help="run it in a Linux container")
    named = os.environ.get("TPUGURU_SLICE_LIBRARY", "")
    if named:
        return Path(named)
    sources = data_directory("native")
    key = sources_key(sources)
    shipped = sources / "ready" / f"{platform.machine()}-{key}" / _NAME
    if shipped.is_file():
        return shipped
    made = cache_directory() / "slice" / f"{platform.machine()}-{key}" / _NAME
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        with _locked(made.parent / "lock"):
            if not made.is_file():
                compile_library(sources, made)
    return made


def sources_key(sources: Path) -> str:
    """Return 16 digits that name the sources' content and how they are compiled."""
    digest = hashlib.sha256(" ".join(_COMPILE + _LINK).encode())
    for path in _source_files(sources, "*.cc", "*.h"):
        digest.update(str(path.relative_to(sources)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def compile_library(sources: Path, target: Path) -> None:
    """Compile all sources and put the library at ``target`` in one move."""
    compiler = find_compiler()
    print("compiling the virtual slice's plugin (once, about 20 s of CPU time)", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="tpuguru-build-", dir=target.parent) as folder:
        units = _source_files(sources, "*.cc")
        objects = [f"{folder}/{index}.o" for index in range(len(units))]
        compile_one = [*compiler, *_COMPILE, "-I", str(sources), "-c"]
        commands = [[*compile_one, str(unit), "-o", made] for unit, made in zip(units, objects, strict=True)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(_run, commands))  # the first failure is raised here
        made = Path(folder) / _NAME
        _run([*compiler, *objects, *_LINK, *_static_runtime(compiler), "-o", str(made)])
        made.replace(target)


def find_compiler() -> list[str]:
    """Return the C++ compiler's command: the one in $CXX, the system's, or the packaged ziglang."""
    named = os.environ.get("CXX", "").split()
    if named:
        return named
    for name in ("g++", "clang++", "c++"):
        if path := shutil.which(name):
            return [path]
    if find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"]
    raise UsageError(
        "the virtual slice's plugin must be compiled once and no C++ compiler is here",
        help="install g++, or `pip install ziglang` into tpuguru's environment; then run this again",
    )


def _static_runtime(compiler: list[str]) -> tuple[str, ...]:
    """Return flags that keep the C++ library inside: the frameworks bring copies of their own."""
    return () if "ziglang" in compiler else ("-static-libstdc++", "-static-libgcc")


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolFailureError(f"the C++ compiler {command[0]} could not be run: {error}") from error
    if done.returncode:
        raise ToolFailureError(
            f"{command[0]} failed to compile the virtual slice's plugin: {_first_error(done.stderr)}",
            help="set CXX to a compiler that knows C++17 (g++ 8, clang++ 7 or newer)",
        )


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no message")[
        :300
    ]


def _source_files(sources: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in sources.glob(f"*/{pattern}"))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

"""The plugin as a shared library: ready in a wheel, or compiled once from the sources in the package."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.locations import cache_directory, data_directory
from tpuguru.slice.compiler import LIBRARY_NAME, compile_library, find_compiler, library_folder


def plugin_library() -> Path:
    """Return the plugin's path, compiling it first when no ready one of these sources is there.

    $TPUGURU_SLICE_LIBRARY names one that was made elsewhere.

    UsageError where there is no compiler, or not what the variable names; ToolFailureError when compiling
    fails or the disk does not take the result.
    """
    named = os.environ.get("TPUGURU_SLICE_LIBRARY", "")
    if named:
        if not Path(named).is_file():
            raise UsageError(f"there is no {named}, which $TPUGURU_SLICE_LIBRARY names as the plugin")
        return Path(named)
    sources = data_directory("native")
    folder = library_folder(sources)
    shipped = sources / "ready" / folder / LIBRARY_NAME
    if shipped.is_file():
        return shipped
    made = cache_directory() / "slice" / folder / LIBRARY_NAME
    if not made.is_file():
        _compile_once(sources, made)
    return made


def _compile_once(sources: Path, target: Path) -> None:
    """Compile, unless another process does so at this moment: then wait for it."""
    compiler = find_compiler()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target.parent / "lock"):
            if not target.is_file():
                print("compiling the virtual slice's plugin (once, about 20 s of CPU time)", file=sys.stderr)
                compile_library(sources, target, compiler)
    except OSError as error:
        raise ToolFailureError(
            f"the virtual slice's plugin cannot be written to {target.parent}: {error.strerror or error}",
            help="make room there, or set XDG_CACHE_HOME to a folder that can be written to",
        ) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

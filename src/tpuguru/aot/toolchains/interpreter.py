"""Find a CPython of the version a toolchain needs: the running one, PATH, pyenv's folders.

Else uv fetches one.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_PROBE = "import sys; print(sys.implementation.name, '%d.%d' % sys.version_info[:2])"


def find_interpreter(version: str) -> str:
    """Return the path of a CPython ``version`` (``3.12``), or the bare version, which lets uv fetch one."""
    for candidate in _candidates(version):
        if _is_cpython(candidate, version):
            return candidate
    return version


def _candidates(version: str) -> Iterator[str]:
    # The base interpreter rather than a virtual environment's link to it: that environment may be deleted.
    yield str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    for name in (f"python{version}", "python3", "python"):
        if found := shutil.which(name):
            yield found
    pyenv = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    for root in (pyenv, "/opt/pyenv", "/usr/local/pyenv"):
        yield from (str(path) for path in sorted(Path(root).glob(f"versions/{version}*/bin/python")))


def _is_cpython(path: str, version: str) -> bool:
    try:
        done = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.stdout.split() == ["cpython", version]

"""The package's own build: what is in a wheel, and which machines it says it is for."""

import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tpuguru.base.locations import data_directory
from tpuguru.slice import compiler

_ROOT = data_directory("native").parent
_COMPILER = '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = -o ] && echo made > "$2"; shift; done\n'


def _build(folder: Path, script: str, kind: str = "") -> subprocess.CompletedProcess[str]:
    """Build a wheel with a compiler that only plays one."""
    played = folder / "compiler"
    played.write_text(script, encoding="utf-8")
    played.chmod(0o755)
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=_ROOT,
        env=os.environ | {"CXX": str(played), "TPUGURU_WHEEL": kind},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _wheel(folder: Path) -> tuple[str, list[str]]:
    """Return the wheel's platform tag and the libraries in it."""
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "tpuguru/_data/native/core/table.cc" in names
    assert not [name for name in names if "libtpu.so" in name]
    return wheel.stem.split("-", 2)[2], [name for name in names if name.endswith(".so")]


def test_a_wheel_brings_the_plugin_that_is_looked_for(tmp_path: Path) -> None:
    """Compiled with this machine's compiler it is for this kind of machine, whatever the Python."""
    done = _build(tmp_path, _COMPILER)
    assert done.returncode == 0, done.stderr
    tag, libraries = _wheel(tmp_path)
    assert tag == f"py3-none-linux_{platform.machine()}"
    folder = compiler.library_folder(_ROOT / "native")
    assert libraries == [f"tpuguru/_data/native/ready/{folder}/{compiler.LIBRARY_NAME}"]


def test_a_pure_wheel_is_for_every_machine(tmp_path: Path) -> None:
    """As on macOS and Windows: the sources only."""
    assert _build(tmp_path, _COMPILER, "pure").returncode == 0
    assert _wheel(tmp_path) == ("py3-none-any", [])


def test_a_compiler_that_fails_leaves_a_pure_wheel(tmp_path: Path) -> None:
    """The rest of tpuguru can be installed; the reason is said."""
    done = _build(tmp_path, "#!/bin/sh\necho 'error: too old' >&2\nexit 1\n")
    assert done.returncode == 0
    assert "too old" in done.stdout + done.stderr
    assert _wheel(tmp_path) == ("py3-none-any", [])


@pytest.mark.parametrize("kind", ["Portable", "manylinux"])
def test_an_unknown_kind_of_wheel_is_refused(tmp_path: Path, kind: str) -> None:
    """A typo in the release workflow makes no wheel at all."""
    done = _build(tmp_path, _COMPILER, kind)
    assert done.returncode != 0
    assert kind in done.stderr
    assert not list(tmp_path.glob("*.whl"))

"""Is an installed environment still whole? Checked from outside, so that nothing broken has to run first."""

import csv
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tpuguru.aot.toolchains.building import is_complete
from tpuguru.aot.toolchains.data import ToolchainData
from tpuguru.aot.toolchains.locking import pinned_versions


def check(folder: Path, python: Path, data: ToolchainData) -> str | None:
    """Return the first thing that is wrong, or None. Reads every package's own file list.

    Takes about a second.
    """
    if not is_complete(folder):
        return "it is not installed"
    if (problem := _interpreter_problem(python, data)) is not None:
        return problem
    site = folder / "lib" / f"python{data.python}" / "site-packages"
    present = dict(_installed(site))
    for name, version in pinned_versions(folder / "tpuguru-lock.txt").items():
        if present.get(_normal(name)) != version:
            found = present.get(_normal(name))
            return f"{name} should be {version} and is {found}" if found else f"{name} {version} is missing"
    return next(_damaged_files(site), None)


def _interpreter_problem(python: Path, data: ToolchainData) -> str | None:
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"its Python does not start: {error}"
    if done.stdout.strip() != data.python:
        return (
            f"its Python should be {data.python} and says {done.stdout.strip() or done.stderr.strip()[-200:]}"
        )
    return None


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _installed(site: Path) -> Iterator[tuple[str, str]]:
    for folder in site.glob("*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").partition("-")
        yield _normal(name), version


def _damaged_files(site: Path) -> Iterator[str]:
    """Yield a sentence for every file that a package lists and that is gone or of another size."""
    for record in site.glob("*.dist-info/RECORD"):
        with record.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                if (problem := _file_problem(site, row)) is not None:
                    yield problem


def _file_problem(site: Path, row: list[str]) -> str | None:
    name, _, size = (*row, "", "")[:3]
    # Scripts are rewritten for the environment when they are installed, so their size says nothing.
    if not size or name.startswith("../../../bin/"):
        return None
    try:
        found = (site / name).stat().st_size
    except OSError:
        return f"the file {name} is missing"
    return None if found == int(size) else f"the file {name} has {found} bytes instead of {size}"

"""Run programs on a virtual slice through the command line, with the toolchain's JAX and libtpu."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.toolchain import toolchain_python

from tpuguru.slice.library import plugin_library

PROGRAMS = Path(__file__).parent / "programs"
_SECONDS = 400


@dataclass(frozen=True)
class Run:
    """What ``tpuguru rehearse`` said."""

    code: int
    report: dict[str, Any]
    stderr: str

    def lines(self, rank: int = 0) -> list[str]:
        """What a rank wrote on its standard output."""
        prefix = f"[{rank}] "
        return [line.removeprefix(prefix) for line in self.stderr.splitlines() if line.startswith(prefix)]


type Rehearse = Callable[..., Run]


@pytest.fixture(scope="session")
def python() -> Path:
    """The toolchain's interpreter."""
    return toolchain_python()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Cache and state of this test session: nothing is read from an earlier one but the compiled plugin."""
    root = tmp_path_factory.mktemp("slice")
    places = {name: str(root / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}
    return places | {"TPUGURU_SLICE_LIBRARY": str(plugin_library())}


@pytest.fixture(scope="session")
def rehearse(python: Path, folders: dict[str, str]) -> Rehearse:
    """A function that rehearses a program of tests/slice/programs."""
    return rehearse_with(python, folders)


def rehearse_with(python: Path, folders: dict[str, str]) -> Rehearse:
    """The same with any interpreter."""

    def run(
        *options: str, program: str, arguments: tuple[str, ...] = (), before: tuple[str, ...] = ()
    ) -> Run:
        return rehearsed(folders, *options, "--", str(python), *before, str(PROGRAMS / program), *arguments)

    return run


def rehearsed(folders: dict[str, str], *words: str, seconds: float = _SECONDS) -> Run:
    """What ``tpuguru rehearse`` says to these words."""
    done = subprocess.run(
        [*tpuguru("rehearse"), "--yes", "--output-format", "json", *words],
        env=os.environ | folders,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Run(done.returncode, json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr)


def checks_of(program: str) -> list[str]:
    """Names of the checks that a program of ours makes."""
    return re.findall(r"@check\ndef (\w+)", (PROGRAMS / program).read_text(encoding="utf-8"))


def verdicts(run: Run) -> dict[str, dict[str, Any]]:
    """What such a program said of its checks, by check."""
    told = [json.loads(line) for line in run.lines() if line.startswith('{"check"')]
    return {each["check"]: each for each in told}


def assert_passed(results: dict[str, dict[str, Any]], name: str, run: Run) -> None:
    """The check's own assertions hold inside the rehearsed program."""
    assert name in results, run.stderr[-3000:]
    assert results[name]["ok"], results[name]["detail"]["error"]


def tpuguru(*words: str) -> list[str]:
    """The command line of this very tpuguru."""
    return [sys.executable, "-m", "tpuguru.cli.main", *words]


def alive(marker: str) -> list[int]:
    """Ids of living processes whose command line holds ``marker``."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker in line and state not in "ZX" and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found

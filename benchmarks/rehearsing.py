"""What the rehearsals of other people's programs share: an environment, the run, and checks that decide the exit code."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"


@dataclass
class Run:
    """What ``tpuguru rehearse`` said. ``log`` has the program's lines as they were, without blanked figures."""

    code: int
    report: dict[str, Any]
    log: list[str]
    screen: str

    def told(self, rank: int = 0) -> list[dict[str, Any]]:
        """Lines of JSON that our own program wrote."""
        start = f"[{rank} out] {{"
        return [json.loads(line[len(start) - 1 :]) for line in self.log if line.startswith(start)]

    @property
    def peak_bytes(self) -> int:
        """Peak of the fullest device."""
        return max((device["peak"] for device in self.report.get("devices", [])), default=0)

    @property
    def live_bytes(self) -> int:
        """The most that arrays alone held on one device, of the memory timeline."""
        timeline = self.report.get("timeline") or {}
        return max((point["live"] for each in timeline["devices"] for point in each["points"]), default=0)


@dataclass
class Checks:
    """Collects what was compared; the process's exit code is 1 when anything differs."""

    failed: list[str] = field(default_factory=list)

    def expect(self, what: str, holds: object, detail: object = "") -> None:
        print(f"  {'ok  ' if holds else 'FAIL'} {what}{f': {detail}' if detail != '' else ''}", flush=True)
        if not holds:
            self.failed.append(what)

    def finish(self) -> None:
        print("all as expected" if not self.failed else f"{len(self.failed)} not as expected: {self.failed}")
        sys.exit(1 if self.failed else 0)


def rehearse(tpu: str, command: list[str], *options: str, seconds: int = 1800) -> Run:
    """Run ``command`` on a virtual slice. The rehearsal stays in the store, for a closer look."""
    words = ["--slice", tpu, "--yes", "--timeout", str(seconds), "--output-format", "json", *options]
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "rehearse", *words, "--", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout) if done.stdout.strip() else {}
    log = Path(report["folder"], "output.log") if report else None
    lines = log.read_text(encoding="utf-8").splitlines() if log else []
    if not report:
        print(done.stderr[-3000:], file=sys.stderr)
    return Run(done.returncode, report, lines, done.stderr)


@contextmanager
def environment(python: str, *packages: str) -> Iterator[Path]:
    """Give the Python that has ``packages``: the named one as it is, or that of a new environment, removed later."""
    if python:
        yield Path(python).absolute()  # not resolved: an environment is known by the link
        return
    with tempfile.TemporaryDirectory(prefix="tpuguru-rehearsal-") as folder:
        made = Path(folder) / "bin" / "python"
        subprocess.run(["uv", "venv", "-q", "--clear", "--python", sys.executable, folder], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(made), *packages], check=True)
        yield made


def processes_of(marker: str) -> list[str]:
    """Command lines of living processes that mention ``marker``, but for our own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                )
            except OSError:
                continue  # it ended meanwhile
            if marker in line:
                found.append(f"{entry.name} {line[:120]}")
    return found

"""What the benchmarks of the virtual slice share: an environment, a rehearsal through the command line, and checks.

The checks decide the exit code.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
_MOST_SECONDS = 3600


@dataclass(frozen=True)
class Run:
    """One ``tpuguru rehearse``: exit code, report (rehearsal/v1), the program's output, and what it cost."""

    code: int
    report: dict[str, Any]
    output: str
    wall_seconds: float
    cpu_seconds: float

    @property
    def records(self) -> Path:
        """The plugin's records."""
        return Path(self.report["folder"]) / "records"

    @property
    def main(self) -> dict[str, Any]:
        """The program with the most arithmetic that was executed: the step."""
        executed = [each for each in self.report["programs"] if each["executions"]]
        return max(executed, key=lambda each: float(each["flops"]))

    @property
    def peak(self) -> int:
        """Peak bytes of the fullest device."""
        return max(int(device["peak"]) for device in self.report["devices"])

    def events(self, name: str) -> list[dict[str, Any]]:
        """The records' events of one name."""
        lines = (self.records / "index.jsonl").read_text(encoding="utf-8").splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def compiler_seconds(self) -> float:
        """Seconds that the TPU compiler itself took, over all programs."""
        return sum(float(event["seconds"]) for event in self.events("compiled"))


def rehearse(
    slice_name: str, command: list[str], *options: str, environment: dict[str, str] | None = None
) -> Run:
    """Rehearse ``command`` and return what came out. The program's output is kept, not shown."""
    words = [sys.executable, "-m", "tpuguru", "rehearse", "--slice", slice_name, "--yes"]
    before, started = os.times(), time.monotonic()
    done = subprocess.run(
        [*words, "--output-format", "json", *options, "--", *command],
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_MOST_SECONDS,
        check=False,
    )
    wall, after = time.monotonic() - started, os.times()
    if not done.stdout.strip():
        raise SystemExit(f"no report came out (exit code {done.returncode}):\n{done.stderr[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(done.returncode, json.loads(done.stdout), done.stderr, wall, cpu)


@dataclass
class Checks:
    """Collects what was compared; the process's exit code is 1 when anything differs."""

    failed: list[str] = field(default_factory=list)

    def expect(self, what: str, holds: object, detail: object = "") -> bool:
        print(f"  {'ok  ' if holds else 'FAIL'} {what}{f': {detail}' if detail != '' else ''}", flush=True)
        if not holds:
            self.failed.append(what)
        return bool(holds)

    def finish(self) -> None:
        print("all as expected" if not self.failed else f"{len(self.failed)} not as expected: {self.failed}")
        sys.exit(1 if self.failed else 0)


def rehearse_marked(slice_name: str, command: list[str], *options: str) -> tuple[Run, list[str]]:
    """Rehearse ``command``; also return what is still running of it, which its environment tells."""
    mark = str(uuid.uuid4())
    variables = {"TPUGURU_BENCHMARK_RUN": mark}
    run = rehearse(slice_name, command, *options, environment=variables)
    return run, processes_with(mark)


def log_lines(run: Run) -> list[str]:
    """The program's output as it was, without blanked figures: «[rank out] line»."""
    return Path(run.report["folder"], "output.log").read_text(encoding="utf-8").splitlines()


def told(run: Run) -> list[dict[str, Any]]:
    """The lines of JSON that the program of ours wrote."""
    start = "[0 out] "
    return [json.loads(line[len(start) :]) for line in log_lines(run) if line.startswith(start + "{")]


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


def processes_with(mark: str) -> list[str]:
    """Command lines of living processes that have ``mark`` in their environment: every descendant inherits it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                inherits = mark.encode() in (entry / "environ").read_bytes()
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue  # it ended meanwhile, or is not ours
            if inherits:
                found.append(f"{entry.name} {line[:120]}")
    return found

"""What the benchmarks of the virtual slice share: one rehearsal through the command line, and what it said."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

"""What `tpuguru check` costs beside MaxText's own train_compile, and what a second identical run costs.

    python benchmarks/check.py [LAUNCH] [--slice NAME]

Prints wall and CPU seconds of (1) bare train_compile, (2) check without proving and an empty run store, (3) the
same check again, and whether the compiler's figures are equal to the byte. The toolchain must be installed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.report.check.bare import bare_train_compile  # noqa: E402

from tpuguru.aot.toolchains import find_toolchain  # noqa: E402
from tpuguru.frameworks.compiling import compiling  # noqa: E402
from tpuguru.frameworks.registry import require_launches  # noqa: E402
from tpuguru.launch.reader import read_paste_file  # noqa: E402


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall and CPU seconds of a command."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:8.1f} s wall {self.cpu:8.1f} s CPU"


def timed_check(launch: str, slice_name: str, state: str) -> tuple[Cost, dict[str, object]]:
    """Run the command and return its cost and report."""
    command = [
        sys.executable,
        "-m",
        "tpuguru.cli.main",
        "check",
        launch,
        "--prove",
        "none",
        "--fail-on",
        "never",
    ]
    command += ["--output-format", "json", "--quiet", "--force"]
    command += ["--slice", slice_name] if slice_name else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": state},
    )
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        sys.exit(f"check failed: {done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu), json.loads(done.stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("launch", nargs="?", default=str(ROOT / "examples/maxtext/qwen3-0.6b-v6e-4.sh"))
    parser.add_argument("--slice", default="")
    arguments = parser.parse_args()
    side = compiling("maxtext")
    assert side is not None
    launch = require_launches(read_paste_file(arguments.launch))[0]
    job = side.plan(launch, side.target(launch, arguments.slice), side.toolchain, 3600.0).job
    python = find_toolchain(side.toolchain).python
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_train_compile(python, job, Path(folder))
        print(f"bare train_compile     {Cost(bare.seconds, bare.cpu_seconds)}")
        first, report = timed_check(arguments.launch, arguments.slice, folder)
        print(f"check --prove none     {first}   overhead {first.wall / bare.seconds - 1:+.0%} wall")
        second, _ = timed_check(arguments.launch, arguments.slice, folder)
        print(f"the same check again   {second}")
    print(f"verdict: {report['verdict']['sentence']}")  # type: ignore[index]
    memory = report["memory"] or {}
    names = {"argument": "argument", "temporary": "temp", "output": "output", "alias": "alias"}
    for ours, theirs in names.items():
        figure = memory.get(ours)  # type: ignore[attr-defined]
        value = int(figure["value"]) if figure else None
        printed = bare.memory.get(f"{theirs}_size_in_bytes")
        print(f"{ours:10} {value} bytes, bare {printed}: {'equal' if value == printed else 'DIFFERENT'}")


if __name__ == "__main__":
    main()

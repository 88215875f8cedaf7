"""How long `tpuguru lint` and `tpuguru doctor` take on one Relax launch script, cold start included.

Run: python benchmarks/doctor.py [--runs N] [--compare] [--tools DIR]
With --compare, checkov and semgrep are installed into a temporary environment (or --tools DIR, kept for the
next run) and run on a file of the same size in the same run, turn by turn, so that all three meet the same
load of the machine.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "examples/relax/training/text/run-qwen35-35B-A3B-16xgpu.sh"
CACHED = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as installed: byte code is kept
TARGET = 0.25
SEMGREP_RULE = """rules:
  - id: reference-of-weight-zero
    languages: [bash]
    severity: WARNING
    message: a KL term of weight zero
    pattern: X=(... --use-kl-loss ...)
"""


def manifest(size: int) -> str:
    """Return a Kubernetes manifest of about ``size`` bytes: what checkov reads."""
    text = """apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  containers:
    - name: train
      image: train:1
      env:
"""
    number = 0
    while len(text) < size:
        text += f'        - {{name: SETTING_{number}, value: "{number}"}}\n'
        number += 1
    return text


def timed(command: Sequence[str]) -> tuple[float, float]:
    """Run a command and return its wall and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=CACHED)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def others(folder: Path) -> dict[str, list[str]]:
    """Install checkov and semgrep below ``folder`` and return their commands."""
    tools = {}
    size = SCRIPT.stat().st_size
    (folder / "pod.yaml").write_text(manifest(size), encoding="utf-8")
    (folder / "rule.yaml").write_text(SEMGREP_RULE, encoding="utf-8")
    copy = Path(shutil.copy(SCRIPT, folder / "run.sh"))
    arguments = {
        "checkov": ["--file", str(folder / "pod.yaml"), "--framework", "kubernetes", "--skip-download", "--quiet"],
        "semgrep": ["scan", "--config", str(folder / "rule.yaml"), "--metrics", "off", "--quiet", str(copy)],
    }  # fmt: skip
    for name, words in arguments.items():
        home = folder / name
        if (home / "bin" / name).is_file():
            tools[name] = [str(home / "bin" / name), *words]
            continue
        print(f"installing {name} …", file=sys.stderr)
        subprocess.run(["uv", "venv", "--quiet", "--python", sys.executable, str(home)], check=True)
        python = str(home / "bin" / "python")
        done = subprocess.run(["uv", "pip", "install", "--quiet", "--python", python, name], check=False)
        if done.returncode == 0:
            tools[name] = [str(home / "bin" / name), *words]
        else:
            print(f"{name} could not be installed; it is left out", file=sys.stderr)
    return tools


def measure(commands: dict[str, list[str]], runs: int) -> dict[str, list[tuple[float, float]]]:
    """Return wall and CPU seconds of each command; all take turns, after one run to warm the caches."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for command in commands.values():
        timed(command)
    for _ in range(runs):
        for name, command in commands.items():
            taken[name].append(timed(command))
    return taken


def main() -> None:
    """Print the medians, and with --compare the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--tools", default="", help="folder in which the compared tools are kept")
    arguments = parser.parse_args()
    program = str(Path(sys.executable).with_name("tpuguru"))
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "tpuguru lint": [program, "lint", str(SCRIPT)],
        "tpuguru doctor": [program, "doctor", str(SCRIPT)],
    }
    with tempfile.TemporaryDirectory() as folder:
        if arguments.compare:
            commands |= others(Path(arguments.tools or folder))
        taken = measure(commands, arguments.runs)
    print(
        f"{SCRIPT.name}, {SCRIPT.stat().st_size} bytes, {arguments.runs} runs, medians; load {os.getloadavg()[0]:.1f}"
    )
    medians = {}
    for name, times in taken.items():
        wall, cpu = (statistics.median(values) for values in zip(*times, strict=True))
        medians[name] = wall
        print(f"{name:16} {wall:7.3f} s wall  {cpu:7.3f} s CPU")
    ours = medians["tpuguru lint"]
    print(f"target: at most {TARGET} s wall: {'met' if ours <= TARGET else 'NOT met'}")
    for name in ("checkov", "semgrep"):
        if name in medians:
            print(f"tpuguru lint takes 1/{medians[name] / ours:.1f} of {name}'s time")


if __name__ == "__main__":
    main()

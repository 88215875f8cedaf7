"""How long a lint takes from a cold start, beside other linters on a file of the same size.

    python benchmarks/lint.py [SCRIPT] [--rounds 15] [--semgrep PATH] [--checkov PATH]

Each round is a new process: interpreter, imports, rules, reading, facts, output. Byte code is kept in a
folder of the benchmark's own, as an installed package has it. Budget: 0.25 s median, and a tenth of the others.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.rules.published_launches import published  # noqa: E402

SEMGREP_RULE = """rules:
  - id: offload-under-full
    languages: [bash]
    severity: WARNING
    message: offload under remat_policy=full
    pattern: python3 ... remat_policy=full ...
"""


def timed(command: list[str], rounds: int, environment: dict[str, str]) -> tuple[list[float], list[float]]:
    """Run a command in new processes and return wall and CPU seconds of each."""
    walls, cpus = [], []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, env=environment, check=False)
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return walls, cpus


def show(name: str, seconds: tuple[list[float], list[float]]) -> float:
    """Print the medians and return the wall one."""
    walls, cpus = (sorted(part) for part in seconds)
    median = statistics.median(walls)
    print(
        f"{name:32} {median:6.3f} s wall (best {walls[0]:.3f}, worst {walls[-1]:.3f}), "
        f"{statistics.median(cpus):6.3f} s CPU, median of {len(walls)}"
    )
    return median


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("script", nargs="?", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--semgrep", default=shutil.which("semgrep") or "")
    parser.add_argument("--checkov", default=shutil.which("checkov") or "")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(arguments.script) if arguments.script else Path(folder) / "run.sh"
        if not arguments.script:
            script.write_text(published()["a01"], encoding="utf-8")
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": f"{folder}/pyc"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "tpuguru.cli.main", "lint", str(script)]
        timed(command, 2, environment)  # fill the caches, as any first run does
        own = show("tpuguru lint", timed(command, arguments.rounds, environment))
        plain = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        show("tpuguru lint, no byte code kept", timed(command, arguments.rounds, plain))
        others = []
        if arguments.semgrep:
            rule = Path(folder) / "rule.yaml"
            rule.write_text(SEMGREP_RULE, encoding="utf-8")
            words = [
                arguments.semgrep,
                "scan",
                "--metrics=off",
                "--disable-version-check",
                "--config",
                str(rule),
            ]
            others.append(("semgrep scan, one rule", [*words, str(script)]))
        if arguments.checkov:
            others.append(("checkov", [arguments.checkov, "--compact", "-f", str(script)]))
        for name, words in others:
            theirs = show(name, timed(words, 3, dict(os.environ)))
            print(f"{'':32} tpuguru takes 1/{theirs / own:.0f} of it")
        if not others:
            print("semgrep and checkov are not installed; give their paths to compare")


if __name__ == "__main__":
    main()

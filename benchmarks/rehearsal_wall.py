"""Wall time of a rehearsal beside what it cannot do without: the TPU compiler, and importing the framework.

    python benchmarks/rehearsal_wall.py PYTHON_WITH_MAXTEXT [train qwen3-0.6b]

Each program is rehearsed twice: with an empty program cache, and again. The first is held against 1.15 × (the
compiler's seconds + the framework's import, timed by itself); the second must compile nothing. What is left is
the framework's own (tracing, lowering, its shutdown) and ours; of ours, what passes before the program starts
and after it ends is shown. Exits 1 when one does not hold. Wants a machine with nothing else on it.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from maxtext_rehearsal import ALWAYS, CASES, MODULE
from rehearsals import Checks, Run, rehearse

from tpuguru.slice.library import plugin_library

MOST = 1.15
TRAIN = Path(__file__).resolve().parents[1] / "tests" / "slice" / "programs" / "train.py"
TINY = "import jax.numpy as jnp; print(float(jnp.ones(8).sum()))"


@dataclass(frozen=True)
class Program:
    """What is rehearsed, and the import that stands for its framework's."""

    slice: str
    words: tuple[str, ...]
    imports: str
    options: tuple[str, ...] = ()


PROGRAMS = {
    "train": Program("v6e:2x2", (str(TRAIN), "20"), "jax, jax.numpy, numpy"),
    "qwen3-0.6b": Program(
        CASES["qwen3-0.6b"].slice,
        ("-m", MODULE, *ALWAYS, *CASES["qwen3-0.6b"].arguments),
        MODULE,
        ("--unknown", "zero"),
    ),
}


def import_seconds(python: str, modules: str) -> float:
    """Time an import in a process of its own, the second time: the files are in memory then, as later."""
    for _ in range(2):
        started = time.monotonic()
        subprocess.run(
            [python, "-c", f"import {modules}"],
            env=os.environ | {"JAX_PLATFORMS": "cpu"},
            capture_output=True,
            check=True,
        )
        seconds = time.monotonic() - started
    return seconds


def compare(name: str, program: Program, python: str, checks: Checks) -> None:
    """Rehearse twice and print what it took."""
    print(f"{name} on {program.slice}:")
    imported = import_seconds(python, program.imports)
    with tempfile.TemporaryDirectory(prefix="tpuguru-wall-") as folder:
        command = [python, *program.words]
        if MODULE in command:
            command.append(f"base_output_directory={folder}/out")
        variables = {"XDG_CACHE_HOME": f"{folder}/cache", "TPUGURU_SLICE_LIBRARY": str(plugin_library())}
        rehearse("v6e:1x1", [python, "-c", TINY], environment=variables)  # libtpu is tested once, here
        cold, warm = (
            rehearse(program.slice, command, *program.options, environment=variables) for _ in range(2)
        )
    needed = cold.compiler_seconds() + imported
    print(f"  compiler {cold.compiler_seconds():.1f} s, import {imported:.1f} s")
    for run, label in ((cold, "cold"), (warm, "warm")):
        print(f"  {label}: {_parts(run)}")
    checks.expect(
        f"at most {MOST} of compiler and import",
        cold.wall_seconds <= MOST * needed,
        f"{cold.wall_seconds / needed:.2f}",
    )
    checks.expect("the second rehearsal compiles nothing", not warm.compiler_seconds() and warm.code == 0)


def _parts(run: Run) -> str:
    inside = float(run.report["ending"]["seconds"])
    return (
        f"{run.wall_seconds:.1f} s of wall time ({run.wall_seconds - inside:.1f} s before the program's start "
        f"and after its end), {run.cpu_seconds:.1f} s of CPU time"
    )


def main() -> None:
    """Measure the wanted programs, or all."""
    python, *wanted = sys.argv[1:]
    checks = Checks()
    for name in wanted or PROGRAMS:
        compare(name, PROGRAMS[name], python, checks)
    checks.finish()


if __name__ == "__main__":
    main()

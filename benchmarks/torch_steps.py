"""Compare a training loop on TorchTPU on a virtual chip with the same loop on PyTorch's CPU.

The loop is a program that takes its device as its last argument and prints a line of JSON for each step: ``step``,
``loss`` and ``time``.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from rehearsals import Checks, Run, log_lines, rehearse, told

from tpuguru.slice.record_reader import read_records

TOLERANCE = 1e-4  # relative


def compare(python: Path, program: list[str], seconds: int, checks: Checks, *, settles: bool = True) -> None:
    """Run the loop on both and check that it ends, with the CPU's losses, compiling nothing after its first step.

    ``settles`` is false of a loop whose shapes depend on its data: it must be seen to compile after its first step.
    """
    cpu = _on_cpu(python, program)
    command = [str(python), *program, "tpu"]
    run = rehearse("v6e:1x1", command, "--timeout", str(seconds))
    programs, peak = len(run.report["programs"]), run.peak / 2**20
    print(f"  {programs} programs, {run.report['compile_seconds']:.1f} s of compiling, peak {peak:.1f} MiB")
    ended = checks.expect("it ended in order", run.code == 0, run.report["ending"]["reason"] or run.code)
    ours, theirs = losses(told(run)), losses(cpu)
    off = difference(ours, theirs)
    checks.expect("losses are the CPU's", off < TOLERANCE, f"{ours} against {theirs}, {off:.1e}")
    late = [_compiled_in_step(run, step) for step in range(1, len(ours))]
    if settles:
        checks.expect("later steps compile nothing", late and not any(late), late)
    else:
        checks.expect("later steps compile again", any(late), [len(names) for names in late])
    generated = [next((line for line in each if "generated" in line), None) for each in (told(run), cpu)]
    if generated[1]:
        checks.expect("generate() ends with the CPU's tokens", generated[0] == generated[1], generated[0])
    if not ended:
        print("\n".join(log_lines(run)[-20:]))


def _on_cpu(python: Path, program: list[str]) -> list[dict[str, Any]]:
    variables = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    command = [str(python), *program, "cpu"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def losses(lines: list[dict[str, Any]]) -> list[float]:
    return [line["loss"] for line in lines if "step" in line]


def difference(ours: list[float], theirs: list[float]) -> float:
    """The largest relative difference; infinite when a loss is missing or not a number."""
    if len(ours) != len(theirs) or any(value != value for value in ours):
        return float("inf")
    return max(abs(a - b) / abs(b) for a, b in zip(ours, theirs, strict=True))


def _compiled_in_step(run: Run, step: int) -> list[str]:
    """Names of the programs that were loaded between the lines of the step before and of this one."""
    times = {line["step"]: line["time"] for line in told(run) if "step" in line}
    records = read_records(run.records)
    return [each.name for each in records.programs if times[step - 1] < each.time < times[step]]

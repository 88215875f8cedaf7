"""Transformers' models on TorchTPU on a virtual chip: training steps and generate() of six architectures.

    python benchmarks/transformers_rehearsal.py [--only llama,bert] [--python PYTHON]

Each model is made from its configuration with two small layers and eager attention, whose values are known, trained for
three steps with AdamW, and asked to generate. Losses are compared with the same program on PyTorch's CPU.
Without --python an environment is made with uv and removed afterwards (about 6 GB).
"""

import argparse
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from rehearsals import Run, rehearse
from rehearsing import PROGRAMS, Checks, environment, log_lines, told

from tpuguru.slice.records import read_records

PACKAGES = ("torch==2.13.0", "torch_tpu==0.2.0", "transformers==5.24.0", "jax==0.12.0.1", "libtpu==0.0.52")
ARCHITECTURES = ("llama", "qwen3", "qwen3_moe", "gpt2", "bert", "vit")
STEPS = 3
PROGRAM = PROGRAMS / "transformers_step.py"
TOLERANCE = 1e-4  # relative


def on_cpu(python: Path, name: str) -> list[dict[str, Any]]:
    environment = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run(
        [python, PROGRAM, name, "cpu"], env=environment, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def losses(lines: list[dict[str, Any]]) -> list[float]:
    return [line["loss"] for line in lines if "step" in line]


def difference(ours: list[float], theirs: list[float]) -> float:
    """The largest relative difference; infinite when a loss is missing or not a number."""
    if len(ours) != len(theirs) or any(value != value for value in ours):
        return float("inf")
    return max(abs(a - b) / abs(b) for a, b in zip(ours, theirs, strict=True))


def compiled_in_step(run: Run, step: int) -> list[str]:
    """Names of the programs that were loaded between the lines of the step before and of this one."""
    times = {line["step"]: line["time"] for line in told(run) if "step" in line}
    records = read_records(run.records)
    return [each.name for each in records.programs if times[step - 1] < each.time < times[step]]


def check(run: Run, cpu: list[dict[str, Any]], checks: Checks) -> None:
    ours = losses(told(run))
    print(
        f"  {len(run.report['programs'])} programs, {run.report['compile_seconds']:.1f} s of compiling, peak {run.peak / 2**20:.1f} MiB"
    )
    checks.expect("it ended in order", run.code == 0, run.report["ending"]["reason"] or run.code)
    off = difference(ours, losses(cpu))
    checks.expect("losses are the CPU's", off < TOLERANCE, f"{ours} against {losses(cpu)}, {off:.1e}")
    if len(ours) == STEPS:
        late = [compiled_in_step(run, step) for step in range(1, STEPS)]
        checks.expect("the second and third step compile nothing", not any(late), late)
    generated = [next((line for line in each if "generated" in line), None) for each in (told(run), cpu)]
    checks.expect(
        "generate() ends with the CPU's tokens", generated[0] == generated[1], generated[0] or "it has none"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(ARCHITECTURES))
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=int, default=900)
    arguments = parser.parse_args()
    checks = Checks()
    with environment(arguments.python, *PACKAGES) as python:
        for name in arguments.only.split(","):
            print(f"{name}:", flush=True)
            cpu = on_cpu(python, name)
            run = rehearse(
                "v6e:1x1", [str(python), str(PROGRAM), name, "tpu"], "--timeout", str(arguments.seconds)
            )
            check(run, cpu, checks)
            if checks.failed:
                print("\n".join(log_lines(run)[-10:]))
    checks.finish()


main()

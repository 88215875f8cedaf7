"""The plugin against versions of JAX, TorchTPU and libtpu that are on PyPI: self-test, then a training loop.

    python benchmarks/slice_matrix.py [--torch PYTHON] ["jax==0.10.2 libtpu==0.0.42.1" …]

Makes an environment for each set of packages in a temporary folder (about 700 MB) and removes it afterwards;
TorchTPU is tried only in an environment that is already there (5.9 GB), whose interpreter `--torch` names.
Prints a table and exits with 1 when a set neither works nor is refused in one sentence, or when its losses
are not those of the others.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "slice" / "programs"
SETS = (
    "jax==0.8.3 libtpu==0.0.32.1",
    "jax==0.9.0 libtpu==0.0.34",
    "jax==0.9.2 libtpu==0.0.37",
    "jax==0.10.2 libtpu==0.0.42.1",
    "jax==0.11.0 libtpu==0.0.44.1",
    "jax==0.11.2 libtpu==0.0.48.1",
    "jax==0.11.2 libtpu==0.0.52",
    "jax==0.12.0.1 libtpu==0.0.50.1",
    "jax==0.12.0.1 libtpu==0.0.52",
)


def try_set(packages: str) -> str:
    with tempfile.TemporaryDirectory(prefix="tpuguru-matrix-") as folder:
        python = Path(folder) / "env" / "bin" / "python"
        subprocess.run(["uv", "venv", "-q", "--python", sys.executable, str(python.parents[1])], check=True)
        wanted = [*packages.split(), packages.split(maxsplit=1)[0].replace("jax", "jaxlib")]
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(python), *wanted], check=True)
        return outcome(rehearse(python, "v6e:2x2", "train.py", "3"))


def rehearse(python: Path, tpu: str, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tpuguru.cli.main", "rehearse", "--slice", tpu, "--yes", "--"]
    return subprocess.run(
        [*command, str(python), str(PROGRAMS / program), *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def outcome(done: subprocess.CompletedProcess[str]) -> str:
    losses = re.findall(r"completed step: \d+, .*loss: ([\d.]+)", done.stderr)
    if done.returncode == 0 and losses:
        return "works, losses " + " ".join(losses)
    refused = re.search(r"error: (the virtual slice does not support .*)", done.stderr)
    if done.returncode == 2 and refused:
        return "refused: " + refused[1]
    return f"WRONG, exit {done.returncode}: " + " | ".join(done.stderr.splitlines()[-5:])


def try_torch(python: Path) -> str:
    done = rehearse(python, "v6e:1x1", "torch_eager.py")
    told: dict[str, str] = dict(
        re.findall(r"^\[0\] (cpu|eager|compiled) (\[.*\])", done.stderr, re.MULTILINE)
    )
    if done.returncode == 0 and len(told) == 3 and largest_difference(told) < 2e-5:
        return "works, losses equal the CPU's: " + told["cpu"]
    return f"WRONG, exit {done.returncode}: " + " | ".join(done.stderr.splitlines()[-5:])


def largest_difference(told: dict[str, str]) -> float:
    columns = [[float(number) for number in text.strip("[]").split(",")] for text in told.values()]
    return max((max(row) - min(row) for row in zip(*columns, strict=True)), default=0.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", type=Path, help="Python of an environment with torch_tpu")
    parser.add_argument("sets", nargs="*", default=SETS)
    arguments = parser.parse_args()
    outcomes = []
    for packages in arguments.sets:
        outcomes.append(try_set(packages))
        print(f"| {packages} | {outcomes[-1]} |", flush=True)
    if arguments.torch:
        outcomes.append(try_torch(arguments.torch))
        print(f"| TorchTPU of {arguments.torch} | {outcomes[-1]} |")
    jax_losses = {text for text in outcomes if text.startswith("works, losses ") and "equal" not in text}
    return int(any(text.startswith("WRONG") for text in outcomes) or len(jax_losses) > 1)


if __name__ == "__main__":
    sys.exit(main())

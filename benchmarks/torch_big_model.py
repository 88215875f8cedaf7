"""A PyTorch model of 7.5 billion parameters made on the TPU: fits a tpu7x device and stops on v6e.

``python benchmarks/torch_big_model.py PYTHON`` with the interpreter of a TorchTPU environment. Expected: on
tpu7x two steps, four times the parameters' bytes (weights, gradients, two moments) below the device's peak,
and torch's own peak equal to ours; on v6e the compiler's (or the device's) words on memory in the report.
Exit code 1 when it is otherwise.
"""

import re
import sys
from pathlib import Path

from rehearsals import Run, rehearse

_PROGRAM = Path(__file__).parent.parent / "tests" / "slice" / "programs" / "torch_big.py"
_GIB = 2**30
_BYTES_PER_PARAMETER = 4 * 2


def main() -> int:
    """Rehearse on both, print what was found, return the exit code."""
    command = [sys.argv[1], str(_PROGRAM)]
    without = ("--values", "never")  # the values of this many parameters would take this machine's memory
    wrong = [
        *_fits(rehearse("tpu7x:1x1x1", command, *without)),
        *_stops(rehearse("v6e:1x1", command, *without)),
    ]
    for each in wrong:
        print(f"WRONG: {each}")
    return 1 if wrong else 0


def _fits(run: Run) -> list[str]:
    _describe("tpu7x:1x1x1", run)
    told = re.search(r"peak (\d+) current (\d+)", run.output)
    parameters = re.search(r"parameters (\d+)", run.output)
    if run.code or not told or not parameters:
        return [f"tpu7x: ended with {run.code}: {run.output[-1000:]}"]
    least = int(parameters[1]) * _BYTES_PER_PARAMETER
    print(f"  {int(parameters[1]) / 1e9:.2f}e9 parameters, torch's own peak {int(told[1]) / _GIB:.2f} GiB")
    wrong = [] if run.peak > least else [f"tpu7x: peak {run.peak} is less than {least}"]
    return wrong if 0 <= int(told[1]) - run.peak < _GIB else [*wrong, f"torch says {told[1]}, we {run.peak}"]


def _stops(run: Run) -> list[str]:
    _describe("v6e:1x1", run)
    quoted = [each["message"] for each in run.report["errors"]]
    for message in quoted:
        print(f"  {message[:300]}")
    compiler = [message for message in quoted if "HBM" in message or "RESOURCE_EXHAUSTED" in message]
    if run.code == 1 and compiler:
        return []
    return [f"v6e: ended with {run.code}, errors {quoted}: {run.output[-1000:]}"]


def _describe(slice_name: str, run: Run) -> None:
    print(
        f"{slice_name}: exit code {run.code}, {run.report['ending']['how']}, peak {run.peak / _GIB:.2f} GiB, "
        f"{len(run.report['programs'])} programs, wall {run.wall_seconds:.0f} s, CPU {run.cpu_seconds:.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())

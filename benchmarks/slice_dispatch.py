"""Dispatch cost on a virtual slice: calls of a jitted function a second, and processor time of each.

    python benchmarks/slice_dispatch.py PYTHON_WITH_JAX_AND_LIBTPU

Exits 1 below 100,000 calls a second of processor time; wall-clock time is told too, for an idle machine.
"""

import re
import sys
import tempfile
from pathlib import Path

from rehearsals import Checks, rehearse

MOST_MICROSECONDS = 10.0
PROGRAM = """
import time, jax, jax.numpy as jnp
function = jax.jit(lambda a: a + 1)
x = function(jnp.ones((8, 128)))
for count in (100_000, 100_000):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        y = function(x)
    y.block_until_ready()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"calls {count} took {wall * 1e6 / count:.2f} of wall and {cpu * 1e6 / count:.2f} of processor")
"""
LINE = re.compile(r"calls (\d+) took ([\d.]+) of wall and ([\d.]+) of processor")


def main() -> None:
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "dispatch.py")
        script.write_text(PROGRAM, encoding="utf-8")
        for values in ("never", "auto"):
            run = rehearse("v6e:2x2", [sys.argv[1], str(script)], "--values", values)
            print(f"values {values}: microseconds of each call")
            for count, wall, processor in LINE.findall(run.output):
                measured = f"{processor} of processor time, {wall} of wall time"
                checks.expect(f"{count} calls", float(processor) <= MOST_MICROSECONDS, measured)
    checks.finish()


if __name__ == "__main__":
    main()

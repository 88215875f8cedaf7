"""Dispatch cost on a virtual slice: calls of a jitted function a second, and CPU time of each.

python benchmarks/slice_dispatch.py PYTHON_WITH_JAX_AND_LIBTPU
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import time, jax, jax.numpy as jnp
function = jax.jit(lambda a: a + 1)
x = function(jnp.ones((8, 128)))
for count in (1_000, 100_000):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        y = function(x)
    y.block_until_ready()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{count} calls: {count / wall:.0f} a wall-clock second, {cpu / count * 1e6:.2f} us of CPU each")
"""

for values in ("never", "auto"):
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "dispatch.py"
        script.write_text(PROGRAM, encoding="utf-8")
        command = ["tpuguru", "rehearse", "--slice", "v6e:2x2", "--values", values, "--yes", "--"]
        done = subprocess.run(
            [*command, sys.argv[1], str(script)], capture_output=True, text=True, check=True
        )
    print(f"values {values}:", *(line for line in done.stderr.splitlines() if "calls:" in line), sep="\n  ")

"""The plugin against versions of JAX and libtpu that are on PyPI: self-test, and a sharded training step.

    python benchmarks/slice_matrix.py [jax==0.10.2,libtpu==0.0.42.1 …]

Makes an environment for each pair under the cache folder (about 700 MB each) and removes it afterwards.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = (
    "jax==0.10.2,libtpu==0.0.42.1",
    "jax==0.11.2,libtpu==0.0.48",
    "jax==0.11.2,libtpu==0.0.50",
    "jax==0.12.0.1,libtpu==0.0.52",
)
PROGRAM = Path(__file__).resolve().parents[1] / "tests" / "slice" / "programs" / "train.py"


def try_pair(pair: str) -> str:
    folder = Path(tempfile.mkdtemp(prefix="tpuguru-matrix-"))
    try:
        subprocess.run(["uv", "venv", "-q", "--python", sys.executable, str(folder / "env")], check=True)
        python = folder / "env" / "bin" / "python"
        jax = pair.partition(",")[0]
        install = ["uv", "pip", "install", "-q", "--python", str(python)]
        subprocess.run([*install, *pair.split(","), jax.replace("jax", "jaxlib")], check=True)
        command = ["tpuguru", "rehearse", "--slice", "v6e:2x2", "--yes", "--", str(python), str(PROGRAM), "2"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        steps = [line for line in done.stderr.splitlines() if "completed step: 1" in line]
        return f"exit {done.returncode}: {steps[0] if steps else next(line for line in done.stderr.splitlines() if 'error:' in line)}"
    finally:
        shutil.rmtree(folder)


for wanted in sys.argv[1:] or PAIRS:
    print(wanted, "->", try_pair(wanted), flush=True)

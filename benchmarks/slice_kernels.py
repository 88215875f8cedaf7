"""How long interpreting Mosaic kernels takes: attention forward and backward at a few sizes, and a step of it.

    python benchmarks/slice_kernels.py PYTHON_WITH_JAX_AND_LIBTPU

Each size is rehearsed on a virtual v6e:1x1; what is timed is reading the result, when it is computed. Exits 1
when a value is not that of plain JAX.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import sys, time
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

def plain(q, k, v):
    scores = jnp.where(jnp.tril(jnp.ones((q.shape[2],) * 2, bool)), jnp.einsum("bhqd,bhkd->bhqk", q, k), -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)

def timed(function, *arguments):
    step = jax.jit(jax.grad(lambda *a: (function(*a) ** 2).sum(), argnums=(0, 1, 2)))
    np.asarray(step(*arguments)[0])
    started = time.perf_counter()
    results = [np.asarray(each) for each in step(*arguments)]
    return results, time.perf_counter() - started

worst = 0.0
for batch, heads, length in ((1, 4, 128), (2, 8, 256), (4, 8, 512)):
    arguments = [np.random.default_rng(i).standard_normal((batch, heads, length, 64)).astype("float32") / 4 for i in range(3)]
    got, seconds = timed(lambda q, k, v: flash_attention(q, k, v, causal=True), *arguments)
    wanted, beside = timed(plain, *arguments)
    worst = max([worst, *(np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(got, wanted))])
    print(f"forward and backward, batch {batch}, {heads} heads, {length} tokens: {seconds:.2f} s (plain: {beside:.2f} s)")

def tiny(x, out):
    for _ in range(100):
        out[...] = x[...] + 1

points = 2000
block = pl.BlockSpec((8, 128), lambda i: (0, 0))
run = jax.jit(pl.pallas_call(tiny, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), grid=(points,), in_specs=[block], out_specs=block))
np.asarray(run(jnp.ones((8, 128))))
started = time.perf_counter()
np.asarray(run(jnp.ones((8, 128)) * 2))
print(f"an operation on little data: {(time.perf_counter() - started) / points / 400 * 1e6:.1f} us")
print(f"largest relative error {worst:.1e}")
sys.exit(not worst < 1e-5)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "kernels.py"
        script.write_text(PROGRAM, encoding="utf-8")
        command = ["tpuguru", "rehearse", "--slice", "v6e:1x1", "--yes", "--", sys.argv[1], str(script)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(
        *(line.removeprefix("[0] ") for line in done.stderr.splitlines() if line.startswith("[0] ")), sep="\n"
    )
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()

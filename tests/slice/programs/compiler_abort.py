"""A program on which libtpu 0.0.52 aborts, and the process with it."""

import jax
import jax.numpy as jnp
import numpy as np

bits = np.array([[0, 1, 1, 0, 1, 1]] * 2, dtype=jnp.dtype("int2"))
print("before", flush=True)
print(jax.jit(lambda a: a.astype(jnp.float32) * 2)(bits))

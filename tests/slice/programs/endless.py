"""Never end: «compile» a function for ever new shapes, or «read» until an unknown value is what it never is."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

if sys.argv[1] == "compile":
    function = jax.jit(lambda a, b: a + b.sum())
    length = 1
    while True:
        length += 1
        function(np.ones(4), np.ones(length))
big = jax.jit(lambda: jnp.ones((64 * 1024, 4 * 1024)))()
unknown, increment = jax.jit(lambda a: a.sum())(big), jax.jit(lambda a: a + 1)
impossible = {"low", "high"}
while int(unknown) not in impossible:
    unknown = increment(unknown)

"""Checks, loops and reads of a value that nobody knows: the sum of an array too big to compute here."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

big = jax.jit(lambda: jnp.ones((64 * 1024, 4 * 1024)))()
unknown = jax.jit(lambda a: a.sum())(big)
increment = jax.jit(lambda a: a + 1)
negative = jax.jit(lambda a: a < 0)


def while_not_done():
    value, turns = unknown, 0
    while not negative(value):
        value, turns = increment(value), turns + 1
    return turns


def until_it_converges():
    error, turns = unknown, 0
    while not (float(error) < 1e-3):
        error, turns = increment(error), turns + 1
    return turns


def until_the_last_token():
    token, turns = unknown.astype(int), 0
    while True:
        token, turns = increment(token), turns + 1
        if int(token) == 151643:
            return turns


def while_not_all():
    values, turns = [unknown, increment(unknown)], 0
    while not all(bool(negative(value)) for value in values):
        turns += 1
    return turns


def while_not_all_of_an_array():
    values, turns = jnp.stack([unknown] * 4), 0
    while not np.asarray(negative(values)).all():
        turns += 1
    return turns


def checks():
    assert negative(unknown)
    assert not jnp.isnan(unknown)
    assert float(increment(unknown)) > 3
    for kind in (jnp.float16, jnp.bfloat16, jnp.int8, jnp.uint32):
        assert unknown.astype(kind).item() == 3
    if not np.isfinite(np.asarray(increment(unknown))):
        raise ValueError
    error, _ = checkify.checkify(jax.jit(lambda x: checkify.check(x > 0, "positive")))(unknown)
    error.throw()
    with jax.debug_nans(True):
        increment(increment(unknown))
    return "passed"


for each in (while_not_done, while_not_done, until_it_converges, until_the_last_token):
    print(each.__name__, each(), flush=True)
for each in (while_not_all, while_not_all_of_an_array, checks):
    print(each.__name__, each(), flush=True)
print("printed", float(increment(unknown)))

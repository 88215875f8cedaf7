"""Initialises ten layers with one program, then takes five steps of a training loop."""

import jax
import jax.numpy as jnp


@jax.jit
def initialise(key):
    """Much arithmetic, and no product of matrices."""
    return jax.random.normal(key, (256, 256))


@jax.jit
def step(layers, x):
    """One step of gradient descent on the first layers."""

    def loss(layers):
        y = x
        for layer in layers:
            y = jnp.tanh(y @ layer)
        return jnp.mean(y**2)

    value, gradients = jax.value_and_grad(loss)(layers)
    return [layer - 0.1 * each for layer, each in zip(layers, gradients, strict=True)], value


layers = [initialise(key) for key in jax.random.split(jax.random.key(0), 10)]
x = jnp.ones((8, 256))
for number in range(5):
    print("begins", number, flush=True)
    layers, value = step(layers, x)

"""BlackJAX: window adaptation, then NUTS in a scan."""

import blackjax
import jax
import jax.numpy as jnp


def log_density(x):
    return -0.5 * jnp.sum((x - 3.0) ** 2)


adaptation = blackjax.window_adaptation(blackjax.nuts, log_density)
(state, parameters), _ = adaptation.run(jax.random.key(0), jnp.zeros(2), num_steps=100)
kernel = jax.jit(blackjax.nuts(log_density, **parameters).step)


def one(state, key):
    state, _ = kernel(key, state)
    return state, state.position


_, positions = jax.lax.scan(one, state, jax.random.split(jax.random.key(1), 200))
print("mean near 3:", bool((abs(positions.mean(0) - 3) < 0.5).all()))

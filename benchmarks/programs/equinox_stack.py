"""Equinox with optax's Muon, Diffrax, Optimistix and Lineax."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import lineax
import optax
import optimistix

model = eqx.nn.MLP(4, 1, 32, 2, key=jax.random.key(0))
optimizer = optax.contrib.muon(1e-2)
x = jax.random.normal(jax.random.key(1), (64, 4))
y = x.sum(1, keepdims=True)
state = optimizer.init(eqx.filter(model, eqx.is_array))


@eqx.filter_jit
def step(model, state):
    value, gradients = eqx.filter_value_and_grad(lambda m: jnp.mean((jax.vmap(m)(x) - y) ** 2))(model)
    updates, state = optimizer.update(gradients, state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), state, value


losses = []
for _ in range(10):
    model, state, value = step(model, state)
    losses.append(float(value))
print("the loss falls:", losses == sorted(losses, reverse=True))
term = diffrax.ODETerm(lambda t, y, arguments: -y)
end = diffrax.diffeqsolve(term, diffrax.Tsit5(), 0, 1, 0.1, jnp.array(1.0)).ys[0]
root = optimistix.root_find(lambda y, _: y**2 - 2.0, optimistix.Newton(1e-5, 1e-5), jnp.array(1.0)).value
solution = lineax.linear_solve(lineax.MatrixLinearOperator(jnp.eye(3) * 2), jnp.ones(3)).value
print("1/e", round(float(end), 3), "root of 2", round(float(root), 3), "half", float(solution[0]))

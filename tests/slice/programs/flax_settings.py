"""A flax module trained with optax and absl flags, in the way of the libraries' own examples."""

import jax
import jax.numpy as jnp
import optax
from absl import app, flags
from flax import linen as nn

FLAGS = flags.FLAGS
flags.DEFINE_float("lr", 0.1, "")
flags.DEFINE_enum("schedule", "constant", ["constant", "cosine"], "")
flags.DEFINE_integer("steps", 2, "")
flags.DEFINE_integer("width", 32, "")
flags.DEFINE_float("dropout", 0.0, "")
flags.DEFINE_string("run_name", "run", "")
flags.DEFINE_alias("run-name", "run_name")


class Model(nn.Module):
    width: int
    dropout: float

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        x = nn.Dropout(self.dropout, deterministic=False)(x)
        return nn.Dense(1)(x)


def main(_):
    model = Model(FLAGS.width, FLAGS.dropout)
    x = jnp.ones((16, 8))
    keys = {"params": jax.random.key(0), "dropout": jax.random.key(1)}
    params = model.init(keys, x)
    schedule = optax.cosine_decay_schedule(FLAGS.lr, FLAGS.steps) if FLAGS.schedule == "cosine" else FLAGS.lr
    optimizer = optax.adamw(schedule)
    state = optimizer.init(params)

    @jax.jit
    def train_step(params, state, key):
        def loss_of(params):
            return (model.apply(params, x, rngs={"dropout": key}) ** 2).mean()

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    for step in range(FLAGS.steps):
        params, state, loss = train_step(params, state, jax.random.key(step))
        print(f"{FLAGS.run_name} step {step} loss {loss:.5f}", flush=True)


if __name__ == "__main__":
    app.run(main)

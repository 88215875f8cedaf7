"""A training script with an argument parser; its options do all that options can do, or nothing."""

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)  # needed
parser.add_argument("--run-name", default="run")  # only names things
parser.add_argument("--steps", type=int, default=2)  # only counts
parser.add_argument("--lr", type=float, default=0.1)  # an argument of the step
parser.add_argument("--layers", type=int, default=1)  # live
parser.add_argument("--width", type=int, default=32)  # live, but given its default
parser.add_argument("--remat", choices=["none", "full"], default="none")  # live
parser.add_argument("--attention", choices=["local", "full"], default="local")  # hides --window
parser.add_argument("--window", type=int, default=4)
parser.add_argument("--bf16", action="store_true")  # stands in for --dtype
parser.add_argument("--dtype", default="float32")
parser.add_argument("--batch", type=int, default=8)  # must be divisible by the devices
parser.add_argument("--old-flag", default=None)  # nobody reads it
parser.add_argument("--clock", action="store_true")  # bakes the time into the step
options = parser.parse_args()

dtype = jnp.bfloat16 if options.bf16 or options.dtype == "bfloat16" else jnp.float32
mesh = Mesh(np.array(jax.devices()), ("data",))
batch = jax.device_put(np.ones((options.batch, options.width), np.float32), NamedSharding(mesh, P("data")))
weights = [jnp.ones((options.width, options.width), dtype) for _ in range(options.layers)]
noise = time.time() % 1 if options.clock else 0.0


def layer(x, w):
    x = jnp.tanh(x @ w)
    if options.attention == "local":
        x = jnp.where(jnp.arange(x.shape[1]) < options.window, x, 0)
    return x


def loss_of(weights, x):
    x = x.astype(dtype)
    for w in weights:
        x = jax.checkpoint(layer)(x, w) if options.remat == "full" else layer(x, w)
    return (x.astype(jnp.float32) ** 2).mean() + noise


@jax.jit
def train_step(weights, x, lr):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x)
    return loss, [w - (lr * g).astype(w.dtype) for w, g in zip(weights, gradients)]


print(f"run {options.run_name} reads {options.data}")
for step in range(options.steps):
    loss, weights = train_step(weights, batch, options.lr)
    print(f"step {step} loss {float(loss):.4f}", flush=True)
print("largest", float(jnp.max(jnp.stack([jnp.abs(w).max() for w in weights]))))

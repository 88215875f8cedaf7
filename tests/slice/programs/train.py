"""A small data-parallel training loop. Options: number of steps, then words that make it misbehave."""

import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

steps, words = int(sys.argv[1]), sys.argv[2:]
if "distributed" in words:
    jax.distributed.initialize()

mesh = Mesh(np.array(jax.devices()), ("data",))
rng = np.random.default_rng(0)
host = tuple(rng.normal(size=size).astype(np.float32) * 0.1 for size in ((32, 64), (64, 1)))
params = jax.device_put(host, NamedSharding(mesh, P()))
inputs = rng.normal(size=(64, 32)).astype(np.float32)
targets = np.sin(inputs.sum(1, keepdims=True))
sharded = NamedSharding(mesh, P("data"))
x = jax.make_array_from_callback(inputs.shape, sharded, lambda index: inputs[index])
y = jax.make_array_from_callback(targets.shape, sharded, lambda index: targets[index])


def loss_of(params, x, y):
    return jnp.mean((jnp.tanh(x @ params[0]) @ params[1] - y) ** 2)


@jax.jit
def step(params, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, y)
    return loss, jax.tree.map(lambda a, g: a - 0.5 * g, params, gradients)


if "sync" in words:
    from jax.experimental import multihost_utils

    multihost_utils.sync_global_devices("begin")
    print("synchronised", flush=True)

for number in range(steps):
    start = time.time()
    if "desert" in words and jax.process_index() == 1 and number == 1:
        time.sleep(600)  # this rank never enters the step that the others wait in
    if "skip" in words and jax.process_index() == 1 and number == 1:
        break
    loss, params = step(params, x, y)
    if "die" in words and jax.process_index() == 1 and number == 1:
        os.kill(os.getpid(), 9)
    seconds = time.time() - start
    print(
        f"completed step: {number}, seconds: {seconds:.3f}, TFLOP/s/device: 0.123, loss: {float(loss):.6f}",
        flush=True,
    )
    if "explode" in words and number == 1:
        print(number / 0)
    if "slow" in words:
        time.sleep(0.5)
print(
    f"process {jax.process_index()} of {jax.process_count()} with {jax.local_device_count()} devices",
    flush=True,
)

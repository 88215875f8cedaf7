"""Two hosts and one sum over both, which the second enters three seconds later."""

import json
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()
sharded = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), P("x"))
x = jax.make_array_from_callback((8,), sharded, lambda where: np.arange(8, dtype=np.float32)[where])
summed = jax.jit(jnp.sum).lower(x).compile()
alone = jax.jit(lambda a: a + 1)
float(alone(jnp.float32(0)))
multihost_utils.sync_global_devices("compiled")
if jax.process_index() == 1:
    time.sleep(3)
started = time.monotonic()
result = summed(x)
dispatched = time.monotonic() - started
beside = float(alone(jnp.float32(1)))  # other work is not held up by those who are late
worked = time.monotonic() - started
result.block_until_ready()
ready = time.monotonic() - started
print(
    json.dumps(
        {
            "process": jax.process_index(),
            "dispatched": dispatched,
            "worked": worked,
            "ready": ready,
            "values": [float(result.addressable_data(0)), beside],
        }
    ),
    flush=True,
)

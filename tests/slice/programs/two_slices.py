"""Collectives over a slice, over the data-centre network and over both, on 2xv6e:2x2: in one process or per host."""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

if "distributed" in sys.argv:
    jax.distributed.initialize()
devices = mesh_utils.create_hybrid_device_mesh((1, 4), (2, 1), jax.devices())
assert [[each.slice_index for each in row] for row in devices] == [[0] * 4, [1] * 4]
mesh = Mesh(devices, ("dcn", "ici"))
sharded = NamedSharding(mesh, P("dcn", "ici"))
host = np.arange(2 * 4 * 8.0, dtype=np.float32).reshape(2, 32)
x = jax.make_array_from_callback(host.shape, sharded, lambda where: host[where])


def sums(block):
    return tuple(jax.lax.psum(block, axis) for axis in ("dcn", "ici", ("dcn", "ici")))


specs = (P(None, "ici"), P("dcn", None), P(None, None))
over = jax.jit(jax.shard_map(sums, mesh=mesh, in_specs=P("dcn", "ici"), out_specs=specs))(x)
trained = jax.jit(jax.grad(lambda w, x: ((x @ w) ** 2).mean()))(np.ones((32, 1), np.float32), x)
with jax.default_device(jax.local_devices()[-1]):
    own = jnp.ones((4,)) * 3  # a program of one device of the second slice


def local(array):
    return np.asarray(array.addressable_shards[0].data)


parts = host.reshape(2, 4, 8)
slice_index = jax.local_devices()[0].slice_index
assert (local(over[0]) == parts[:, 0].sum(0)).all(), local(over[0])
assert (local(over[1]) == parts[slice_index].sum(0)).all(), local(over[1])
assert (local(over[2]) == parts.sum((0, 1))).all(), local(over[2])
wanted = 2 * host.T @ (host.sum(1, keepdims=True)) / 2
where = trained.addressable_shards[0].index
assert np.allclose(local(trained), wanted[where], rtol=1e-5)
assert own.tolist() == [3.0] * 4 and own.devices() == {jax.local_devices()[-1]}
print(
    json.dumps(
        {"process": jax.process_index(), "ids": [each.id for each in jax.local_devices()], "ok": True}
    ),
    flush=True,
)

"""A matmul whose weights are sharded over two v6e slices, so that they are gathered between slices.

Compiled without a TPU: python sliced_step.py DUMP_FOLDER. Runs inside the toolchain.
"""

import sys

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def step(weights: jax.Array, batch: jax.Array) -> jax.Array:
    """Return the product; every device needs the whole weights."""
    return batch @ weights


topology = topologies.get_topology_desc(
    platform="tpu",
    topology_name="v6e:2x2",
    chip_config_name="default",
    chips_per_host_bounds=[2, 2, 1],
    num_slices=2,
)
slices = [topology.devices[:4], topology.devices[4:]]
mesh = Mesh(slices, ("fsdp", "data"))
arguments = [
    jax.ShapeDtypeStruct((8192, 8192), jnp.float32, sharding=NamedSharding(mesh, PartitionSpec("fsdp"))),
    jax.ShapeDtypeStruct(
        (8192, 8192), jnp.float32, sharding=NamedSharding(mesh, PartitionSpec(("fsdp", "data")))
    ),
]
lowered = jax.jit(step).lower(*arguments)
lowered.compile(
    compiler_options={"xla_dump_to": sys.argv[1], "xla_dump_hlo_as_text": True, "xla_dump_hlo_as_proto": True}
)

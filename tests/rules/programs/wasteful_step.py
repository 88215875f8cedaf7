"""A step that wastes memory in two ways, compiled for v6e without a TPU: python wasteful_step.py DUMP_FOLDER.

The float32 state is donated, but the new state is bfloat16, so that nothing takes over its memory. The table has
only short dimensions, so that tiling fills most of it with padding. Runs inside the toolchain.
"""

import sys

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import NamedSharding, PartitionSpec


def step(state: jax.Array, table: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the narrowed state and the scaled table."""
    return (state * 2.0).astype(jnp.bfloat16), jnp.sin(table) * state[0, 0]


topology = topologies.get_topology_desc(
    platform="tpu",
    topology_name="v6e:2x2",
    chip_config_name="default",
    chips_per_host_bounds=[2, 2, 1],
    num_slices=1,
)
mesh = topologies.make_mesh(topology, (4,), ("data",))
whole = NamedSharding(mesh, PartitionSpec())
arguments = [
    jax.ShapeDtypeStruct((8192, 8192), jnp.float32, sharding=whole),
    jax.ShapeDtypeStruct((9,) * 7, jnp.float32, sharding=whole),
]
lowered = jax.jit(step, donate_argnums=0).lower(*arguments)
lowered.compile(
    compiler_options={"xla_dump_to": sys.argv[1], "xla_dump_hlo_as_text": True, "xla_dump_hlo_as_proto": True}
)

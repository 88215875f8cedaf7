"""Grain feeding a sharded step, in this process and from two worker processes."""

import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
from absl import app
from jax.sharding import Mesh, NamedSharding, PartitionSpec


class Numbers:
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return np.full(16, index, np.float32)


def main(_):
    sharding = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), PartitionSpec("x"))
    step = jax.jit(lambda total, batch: total + batch.sum())
    sampler = grain.IndexSampler(64, grain.NoSharding(), shuffle=True, num_epochs=1, seed=0)
    for workers in (0, 2):
        loader = grain.DataLoader(
            data_source=Numbers(), sampler=sampler, operations=[grain.Batch(8)], worker_count=workers
        )
        total = jnp.float32(0)
        for batch in loader:
            total = step(total, jax.make_array_from_process_local_data(sharding, batch))
        print(f"{workers} workers: {float(total):.0f}", flush=True)


if __name__ == "__main__":
    app.run(main)

"""A torch DataLoader with worker processes of each kind feeding a sharded JAX step."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((16,), float(index))


def main():
    sharding = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), PartitionSpec("x"))
    step = jax.jit(lambda total, batch: total + batch.sum())
    for method in ("fork", "spawn", "forkserver"):
        loader = DataLoader(
            Numbers(), batch_size=8, shuffle=True, num_workers=2, multiprocessing_context=method
        )
        total = jnp.float32(0)
        for batch in loader:
            total = step(total, jax.make_array_from_process_local_data(sharding, batch.numpy()))
        print(f"{method}: {float(total):.0f}", flush=True)


if __name__ == "__main__":
    main()

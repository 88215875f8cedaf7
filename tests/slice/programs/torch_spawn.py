"""The same as torch_parallel.py in processes that the program starts itself; the argument says how many."""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch_parallel import train


def run(rank, world):
    """One process of the group."""
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world)}
    dist.init_process_group("tpu_dist")
    train()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    world = int(sys.argv[1])
    torch.tpu.distributed.set_tpu_launch_env(nproc_per_node=world)
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29533"}
    torch.multiprocessing.spawn(run, args=(world,), nprocs=world)

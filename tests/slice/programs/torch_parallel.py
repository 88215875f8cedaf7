"""Tensor parallelism by DTensor; with the argument «compile» by way of torch.compile."""

import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


def train():
    """The same data on every rank, each with its columns and rows of the two matrices."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 8)).to("tpu")
    x, y = torch.randn(64, 16).to("tpu"), torch.randn(64, 8).to("tpu")
    mesh = init_device_mesh("tpu", (dist.get_world_size(),))
    model = parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    step = torch.compile(model, backend="tpu") if "compile" in sys.argv[1:] else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(3):
        loss = ((step(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        place = f"rank {dist.get_rank()} of {dist.get_world_size()}"
        print(f"{place} loss {float(loss.detach().cpu()):.5f}", flush=True)


if __name__ == "__main__":
    dist.init_process_group("tpu_dist")
    train()
    dist.barrier()
    dist.destroy_process_group()

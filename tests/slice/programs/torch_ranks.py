"""A training loop over several processes: plain, FSDP2 or DDP, by the first argument."""

import os
import sys

import torch
import torch.distributed as dist

mode = sys.argv[1]
dist.init_process_group("tpu_dist")
rank, world = dist.get_rank(), dist.get_world_size()
total = torch.full((4,), float(rank + 1), device="tpu")
dist.all_reduce(total)
print("all_reduce", total.cpu().tolist(), flush=True)

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 8))
x, y = torch.randn(64, 16), torch.randn(64, 8)
share = slice(rank * 64 // world, (rank + 1) * 64 // world)
x, y = x[share].to("tpu"), y[share].to("tpu")
model = model.to("tpu")
if mode == "fsdp":
    from torch.distributed.fsdp import fully_shard

    fully_shard(model)
else:
    model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(3):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    print("loss", round(float(mean.cpu()) / world, 5), flush=True)
dist.destroy_process_group()

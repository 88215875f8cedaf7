"""A ring by batch_isend_irecv, then training through a pipeline of one stage a rank by send and recv.

With the argument «missing» the last rank waits for what nobody sends; with «ring» everybody sends first.
"""

import sys
import time

import torch
import torch.distributed as dist

torch.manual_seed(0)
MODEL = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(8)])
X, Y = torch.randn(4, 32, 16), torch.randn(4, 32, 16)
STEPS = 3


def neighbours(rank, world):
    """Everybody sends to the right; TorchTPU's isend waits for its receiver, so receiving comes first."""
    mine, theirs = torch.full((8,), float(rank), device="tpu"), torch.zeros(8, device="tpu")
    works = dist.batch_isend_irecv(
        [
            dist.P2POp(dist.irecv, theirs, (rank - 1) % world),
            dist.P2POp(dist.isend, mine, (rank + 1) % world),
        ]
    )
    for work in works:
        work.wait()
    print("from the left", theirs.cpu().tolist()[0], flush=True)


def forward(stage, x, rank, world):
    """One micro-batch through this stage; returns its input and output."""
    x = x.to("tpu")
    if rank > 0:
        x = torch.empty(32, 16, device="tpu")
        dist.recv(x, rank - 1)
        x.requires_grad_()
    out = torch.tanh(stage(x))
    if rank + 1 < world:
        dist.send(out.detach(), rank + 1)
    return x, out


def backward(x, out, y, rank, world):
    """The gradient of one micro-batch back through this stage; returns the loss on the last stage."""
    if rank + 1 == world:
        loss = ((out - y.to("tpu")) ** 2).mean() / len(X)
        loss.backward()
    else:
        gradient = torch.empty(32, 16, device="tpu")
        dist.irecv(gradient, rank + 1).wait()
        out.backward(gradient)
        loss = None
    if rank > 0:
        dist.isend(x.grad, rank - 1).wait()
    return loss


def train(rank, world):
    """GPipe: all micro-batches forward, then all back."""
    layers = list(MODEL)[rank * 8 // world : (rank + 1) * 8 // world]
    stage = torch.nn.Sequential(*layers).to("tpu")
    optimizer = torch.optim.AdamW(stage.parameters(), lr=1e-2)
    for _ in range(STEPS):
        passed = [forward(stage, x, rank, world) for x in X]
        losses = [backward(*one, y, rank, world) for one, y in zip(passed, Y, strict=True)]
        optimizer.step()
        optimizer.zero_grad()
        if rank + 1 == world:
            print("loss", round(float(sum(loss.detach() for loss in losses)), 5), flush=True)


def missing(rank, world):
    """The last rank waits for what nobody sends."""
    if rank + 1 == world:
        late = torch.zeros(8, device="tpu")
        dist.recv(late, 0)
        print(late.cpu(), flush=True)
    else:
        time.sleep(600)


def ring(rank, world):
    """Everybody sends before anybody receives: TorchTPU's send waits for its receiver."""
    dist.send(torch.ones(8, device="tpu"), (rank + 1) % world)


dist.init_process_group("tpu_dist")

rank, world = dist.get_rank(), dist.get_world_size()
if "missing" in sys.argv[1:]:
    missing(rank, world)
elif "ring" in sys.argv[1:]:
    ring(rank, world)
else:
    neighbours(rank, world)
    train(rank, world)
    dist.barrier()  # who leaves early takes the ranks' meeting point with it
dist.destroy_process_group()

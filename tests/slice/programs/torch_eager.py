"""The three-line quick start, then a small training loop on the CPU and on the TPU."""

import copy
import json

import torch

a = torch.ones((4, 4), device="tpu")
b = torch.full((4, 4), 2.0, device="tpu")
print((a @ b).cpu().flatten().tolist())

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
x = torch.randn(64, 16)
y = x.sum(1, keepdim=True).sin()


def losses(device, wrap=lambda module: module):
    inner = copy.deepcopy(model).to(device)
    outer = wrap(inner)
    optimizer = torch.optim.AdamW(inner.parameters(), lr=1e-2)
    found = []
    for _ in range(4):
        loss = ((outer(x.to(device)) - y.to(device)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(round(float(loss.detach()), 5))
    return found


print("cpu", losses("cpu"))
print("eager", losses("tpu"))
print("compiled", losses("tpu", lambda module: torch.compile(module, backend="tpu")))

torch.accelerator.synchronize()
stats = torch.accelerator.memory_stats()
print(json.dumps({name: value for name, value in stats.items() if name.endswith((".current", ".peak"))}))

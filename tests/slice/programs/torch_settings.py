"""A TorchTPU training script with options: one live, one that only names the run, one that is an argument."""

import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--layers", type=int, default=1)
parser.add_argument("--run-name", default="run")
parser.add_argument("--gelu", action=argparse.BooleanOptionalAction, default=False)
options = parser.parse_args()

torch.manual_seed(0)
activation = nn.GELU if options.gelu else nn.ReLU
model = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), activation()) for _ in range(options.layers))).to(
    "tpu"
)
x = torch.ones((4, 16), device="tpu")
for step in range(2):
    loss = (model(x) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
    print(f"{options.run_name} step {step} loss {loss.item():.5f}", flush=True)

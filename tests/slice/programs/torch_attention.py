"""A small transformer with scaled_dot_product_attention: layer by layer and three AdamW steps, on the TPU and the CPU."""

import copy
import json

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            each.view(batch, length, self.heads, -1).transpose(1, 2)
            for each in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, vocabulary=512, width=128, heads=2, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        states = [self.embed(tokens)]
        for block in self.blocks:
            states.append(block(states[-1]))
        return [*states, self.head(states[-1])]


def train(model, tokens, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        logits = model(tokens)[-1]
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach().cpu()))
    return losses


torch.manual_seed(0)
tokens = torch.randint(0, 512, (2, 128))
for dtype in (torch.float32, torch.bfloat16):
    model = Model().to(dtype)
    there = copy.deepcopy(model).to("tpu")
    with torch.no_grad():
        pairs = zip(model(tokens), there(tokens.to("tpu")), strict=True)
        errors = [float((b.cpu().float() - a.float()).norm() / a.float().norm()) for a, b in pairs]
    result = {"dtype": str(dtype), "errors": errors}
    result |= {"cpu": train(model, tokens, 3), "tpu": train(there, tokens.to("tpu"), 3)}
    print(json.dumps(result), flush=True)

"""Two AdamW steps of a decoder with 7.5 billion bfloat16 parameters that is created on the TPU.

With the argument ``small`` it has 42 million.
"""

import sys

import torch
from torch import nn
from torch.nn import functional

SMALL = "small" in sys.argv
WIDTH, HEADS, FEED, LAYERS, WORDS = (512, 8, 1376, 12, 4096) if SMALL else (4096, 32, 11008, 36, 32000)
LENGTH = 128


class Layer(nn.Module):
    """Attention and a gated feed-forward block."""

    def __init__(self):
        super().__init__()
        self.attention, self.project = (
            nn.Linear(WIDTH, 3 * WIDTH, bias=False),
            nn.Linear(WIDTH, WIDTH, bias=False),
        )
        self.gate, self.up = nn.Linear(WIDTH, FEED, bias=False), nn.Linear(WIDTH, FEED, bias=False)
        self.down = nn.Linear(FEED, WIDTH, bias=False)

    def forward(self, x):
        parts = self.attention(x).view(1, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(1, LENGTH, WIDTH))
        return x + self.down(functional.silu(self.gate(x)) * self.up(x))


with torch.device("tpu"):
    torch.set_default_dtype(torch.bfloat16)
    model = nn.Sequential(
        nn.Embedding(WORDS, WIDTH),
        *[Layer() for _ in range(LAYERS)],
        nn.Linear(WIDTH, WORDS, bias=False),
    )
parameters = sum(each.numel() for each in model.parameters())
print("parameters", parameters, next(model.parameters()).device, flush=True)
words = torch.arange(LENGTH).reshape(1, LENGTH).to("tpu")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(2):
    loss = functional.cross_entropy(model(words).float().view(LENGTH, WORDS), words.view(LENGTH))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, float(loss.detach().cpu()), flush=True)
torch.accelerator.synchronize()
stats = torch.accelerator.memory_stats()
print("peak", stats["allocated_bytes.all.peak"], "current", stats["allocated_bytes.all.current"], flush=True)

"""Checks on a value that nobody knows: the sum of a product too big to compute here."""

import torch

big = torch.ones((16384, 16384), device="tpu")
unknown = (big @ big).sum()
torch._assert_async(unknown > 3)
torch._assert_async(unknown < 3, "both cannot hold, and nobody knows which does not")
torch._assert(bool(torch.isfinite(unknown)), "finite")
torch.accelerator.synchronize()
length = int(unknown)
print("checked", length, bool(unknown > 3), float(unknown + 1))


@torch.compile(backend="tpu")
def checked(x):
    torch._assert_async(x.sum() > 3, "compiled")
    return x * 2


print("compiled", checked(unknown.reshape(1)).cpu().tolist())

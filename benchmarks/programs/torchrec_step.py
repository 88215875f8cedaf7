"""Training steps of a TorchRec EmbeddingBagCollection with a small head: torchrec_step.py DEVICE."""

import json
import sys
import time

import torch
from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor


def main(device: str) -> None:
    torch.manual_seed(0)
    tables = [
        EmbeddingBagConfig(name=f"table_{name}", embedding_dim=128, num_embeddings=1000, feature_names=[name])
        for name in ("user", "item")
    ]
    bags = EmbeddingBagCollection(tables=tables, device=torch.device("cpu")).to(device)
    head = torch.nn.Linear(256, 1).to(device)
    features = KeyedJaggedTensor(
        keys=["user", "item"],
        values=torch.tensor([1, 2, 3, 4, 5, 6, 7]),
        lengths=torch.tensor([2, 0, 1, 4]),
    ).to(device)
    wanted = torch.tensor([[0.5], [-0.5]]).to(device)
    optimizer = torch.optim.Adagrad([*bags.parameters(), *head.parameters()], lr=0.05)
    for step in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(head(bags(features).values()), wanted)
        loss.backward()
        optimizer.step()
        print(json.dumps({"step": step, "loss": loss.item(), "time": time.time()}), flush=True)


main(sys.argv[1])

"""One training loop of a Transformers model made from its configuration: transformers_step.py NAME DEVICE.

NAME is one of llama, qwen3, qwen3_moe, gpt2, bert, vit. Prints one line of JSON for each thing it did. Weights, inputs
and dropout are the same on every device, so that losses on «cpu» and on «tpu» may be compared.
"""

import json
import sys
import time

import torch
import transformers as t

LENGTH = 64
STEPS = 3
COMMON = {"attn_implementation": "eager"}
TEXT = {"vocab_size": 2048, "max_position_embeddings": 256}
WIDE = {"hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2}
GROUPED = TEXT | WIDE | {"intermediate_size": 512, "num_key_value_heads": 2, "head_dim": 64}
EXPERTS = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 128}
GPT2 = {"vocab_size": 2048, "n_positions": 256, "n_embd": 256, "n_layer": 2, "n_head": 4}
STILL = {"attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0}
PLAIN = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
BERT = TEXT | WIDE | PLAIN | {"intermediate_size": 512}
VIT = WIDE | PLAIN | {"intermediate_size": 512, "image_size": 64, "patch_size": 16, "num_labels": 16}

MODELS = {
    "llama": lambda: t.LlamaForCausalLM._from_config(t.LlamaConfig(**GROUPED, **COMMON)),
    "qwen3": lambda: t.Qwen3ForCausalLM._from_config(t.Qwen3Config(**GROUPED, **COMMON)),
    "qwen3_moe": lambda: t.Qwen3MoeForCausalLM._from_config(t.Qwen3MoeConfig(**GROUPED, **EXPERTS, **COMMON)),
    "gpt2": lambda: t.GPT2LMHeadModel._from_config(t.GPT2Config(**GPT2, **STILL, **COMMON)),
    "bert": lambda: t.BertForMaskedLM._from_config(t.BertConfig(**BERT, **COMMON)),
    "vit": lambda: t.ViTForImageClassification._from_config(t.ViTConfig(**VIT, **COMMON)),
}
GENERATES = {"llama", "qwen3", "qwen3_moe", "gpt2"}


def inputs(name: str) -> dict[str, torch.Tensor]:
    if name == "vit":
        return {"pixel_values": torch.rand(2, 3, 64, 64), "labels": torch.tensor([3, 5])}
    ids = torch.randint(2, 2048, (2, LENGTH))
    return {"input_ids": ids, "labels": ids.clone()}


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)


def main(name: str, device: str) -> None:
    torch.manual_seed(0)
    batch = {key: value.to(device) for key, value in inputs(name).items()}
    model = MODELS[name]().train().to(device)
    untied = sum(1 for _ in model.parameters())
    model.tie_weights()  # moving a module to «tpu» leaves each of two tied layers with a parameter of its own
    tell(untied=untied, tied=sum(1 for _ in model.parameters()))
    tell(parameters=sum(each.numel() for each in model.parameters()))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        tell(step=step, loss=loss.item(), time=time.time())
    if name in GENERATES:
        model.eval()
        prompt = batch["input_ids"][:1, :8]
        with torch.no_grad():
            made = model.generate(prompt, max_new_tokens=4, do_sample=False, pad_token_id=0, eos_token_id=1)
        tell(generated=made.shape[1] - prompt.shape[1], tokens=made[0, 8:].tolist())


main(sys.argv[1], sys.argv[2])

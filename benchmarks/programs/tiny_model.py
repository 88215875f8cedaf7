"""Write a model folder with Qwen3-0.6B's shapes, a small tokenizer and no weights: tiny_model.py FOLDER LAYERS."""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<|endoftext|>"


def configuration(layers: int) -> dict[str, object]:
    """The shapes that Qwen/Qwen3-0.6B publishes, with as many layers as wanted."""
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "num_hidden_layers": layers,
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 151936,
        "max_position_embeddings": 40960,
        "rms_norm_eps": 1e-06,
        "rope_theta": 1000000,
        "hidden_act": "silu",
        "attention_bias": False,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "bos_token_id": 1,
        "eos_token_id": 1,
        "use_cache": True,
    }


def tokenizer() -> Tokenizer:
    """A byte-level BPE of a few hundred pieces: any text can be written, and read back."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["!", END], initial_alphabet=alphabet)
    made.train_from_iterator(["a slice that is not there answers what it was asked"] * 8, trainer)
    return made


def write(folder: Path, layers: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": END, "model_max_length": 40960}
    template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
    files = {
        "config.json": configuration(layers),
        "tokenizer_config.json": settings | {"chat_template": template},
        "generation_config.json": {"eos_token_id": 1, "do_sample": False},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


write(Path(sys.argv[1]), int(sys.argv[2]))

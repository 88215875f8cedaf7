"""Facts of a MaxText launch: every key as ``maxtext.config.<key>``, and what follows from the keys.

The keys come from ``maxtext_keys.json``; ``scripts/generate_maxtext.py`` makes it from the installed package.
"""

import json
from pathlib import Path

from tpuguru.facts.schema import FactType, Field, Unit

AXES = (
    "diloco",
    "data",
    "stage",
    "fsdp",
    "fsdp_transpose",
    "context",
    "context_usp_ulysses",
    "context_autoregressive",
    "tensor",
    "tensor_sequence",
    "expert",
    "autoregressive",
)

_TYPES = {
    "boolean": FactType.BOOLEAN,
    "integer": FactType.INTEGER,
    "integers": FactType.INTEGERS,
    "number": FactType.NUMBER,
    "text": FactType.TEXT,
    "texts": FactType.TEXTS,
}


def _keys() -> tuple[Field, ...]:
    text = Path(__file__).with_name("maxtext_keys.json").read_text(encoding="utf-8")
    return tuple(
        Field(
            f"maxtext.config.{key}",
            _TYPES[kind],
            f"MaxText's key {key} as resolved",
            # A key that may be null reads as "" then; a text key with choices may always be left empty.
            choices=tuple(dict.fromkeys(("", *choices))) if choices and kind == "text" else (),
        )
        for key, (kind, choices) in json.loads(text).items()
    )


def _boolean(name: str, summary: str) -> Field:
    return Field(f"maxtext.{name}", FactType.BOOLEAN, summary)


def _integer(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"maxtext.{name}", FactType.INTEGER, summary, unit)


def _number(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"maxtext.{name}", FactType.NUMBER, summary, unit)


def _text(name: str, summary: str, choices: tuple[str, ...] = ()) -> Field:
    return Field(f"maxtext.{name}", FactType.TEXT, summary, choices=choices)


def _texts(name: str, summary: str) -> Field:
    return Field(f"maxtext.{name}", FactType.TEXTS, summary)


_MESH = (
    _texts("mesh.axes", "Names of the mesh axes, major to minor"),
    *(_integer(f"mesh.{axis}", f"Devices along the axis {axis}: ICI times DCN") for axis in AXES),
    *(_integer(f"ici.{axis}", f"Devices along {axis} inside one slice, -1 filled in") for axis in AXES),
    *(_integer(f"dcn.{axis}", f"Slices along {axis}, -1 filled in") for axis in AXES),
    _integer("mesh.ici_product", "Product of the ICI axis sizes, -1 filled in where it can be"),
    _integer("mesh.dcn_product", "Product of the DCN axis sizes, -1 filled in where it can be"),
    _integer("mesh.devices_per_slice", "Devices in one slice", Unit.DEVICES),
    _boolean("mesh.ici_matches", "Whether the ICI product equals the devices per slice"),
    _boolean("mesh.dcn_matches", "Whether the DCN product equals the number of slices"),
    _integer("mesh.ici_unset_count", "How many ICI axes are -1; at most one may be"),
    _integer("mesh.dcn_unset_count", "How many DCN axes are -1; at most one may be"),
    _texts("mesh.dropped_axes", "Parallelism keys set to more than 1 whose axis the mesh does not have"),
)

_BATCH = (
    _number("batch.per_device", "per_device_batch_size: sequences per device and micro step"),
    _integer("batch.micro_trained", "Sequences in one forward pass over all devices"),
    _integer("batch.global_trained", "Sequences trained on per optimizer step"),
    _integer("batch.global_loaded", "Sequences the input pipeline loads per optimizer step"),
    _number("batch.dropped_fraction", "Share of the loaded sequences never trained on", Unit.FRACTION),
    _integer("batch.tokens_per_step", "Tokens trained on per optimizer step", Unit.TOKENS),
    _integer("batch.shards", "Product of the mesh axes that shard the batch"),
    _boolean("batch.divides", "Whether the micro batch divides evenly over the batch shards"),
    _boolean("batch.fractional", "Whether per_device_batch_size is less than one sequence"),
)

_MODEL = (
    _text("model.name", "model_name"),
    _boolean("model.known", "Whether MaxText ships the model's dimensions"),
    _text("model.decoder_block", "Decoder block: llama2, mixtral, deepseek, …"),
    _boolean("model.moe", "Whether the model has more than one expert"),
    *(
        _integer(f"model.{name}", summary)
        for name, summary in (
            ("layers", "Decoder layers, global_parameter_scale applied"),
            ("emb_dim", "Embedding width"),
            ("mlp_dim", "Hidden width of the dense MLP"),
            ("moe_mlp_dim", "Hidden width of one expert"),
            ("query_heads", "Query heads"),
            ("kv_heads", "Key/value heads"),
            ("head_dim", "Width of one head"),
            ("vocab", "Vocabulary size"),
            ("experts", "Routed experts"),
            ("experts_per_token", "Experts that each token is routed to"),
        )
    ),
)

_PATHS = (
    _text("attention.asked", "attention as resolved: autoselected, flash, dot_product, …"),
    _text(
        "attention.expected",
        "What it leads to on a TPU: splash, dot_product, or itself",
    ),
    _text("splash.kernel", "Which splash kernel the settings choose", ("tokamax", "jax", "pallas", "none")),
    _boolean("splash.separate_dq", "Whether the backward pass has a dq kernel of its own"),
    _text(
        "moe.path",
        "How the experts are computed",
        ("dense", "capacity", "dense_matmul", "megablox", "tokamax", "ragged_dot"),
    ),
    _text("quantization.asked", "quantization as resolved; empty for none"),
    _text("quantization.library", "Which library quantises", ("none", "aqt", "qwix", "te", "native")),
    _boolean("quantization.effective", "False when the combination quantises nothing"),
    _boolean("quantization.covers_experts", "Whether the experts' matmuls are quantised too"),
    _text("quantization.scale", "When the scales are computed", ("dynamic", "static", "none")),
    _text("remat.policy", "remat_policy as resolved"),
    _texts("remat.offloaded", "Tensors offloaded to the host by remat_policy=custom"),
    _texts("remat.on_device", "Tensors kept in HBM by remat_policy=custom"),
    _texts("remat.ignored", "Tensors set to device or offload that the policy in force does not read"),
    _text("dtype.activations", "dtype"),
    _text("dtype.weights", "weight_dtype: the master weights"),
    _text("dtype.gradients", "grad_dtype"),
    _text("dtype.moments", "mu_dtype, or weight_dtype when it is empty"),
    _text("optimizer.name", "opt_type"),
    _text("data.source", "dataset_type: where the training data comes from"),
    _boolean("data.path_ignored", "A data path is set that the data source does not read"),
)

_FLAGS = (
    _texts("stated", "Keys the user wrote"),
    _texts("flags.names", "Compiler flags in force, with their dashes"),
    _texts("flags.written", "Compiler flags in force that have a value, as --name=value"),
    _texts("flags.duplicates", "Compiler flags written more than once"),
    _integer("flags.scoped_vmem_kib", "--xla_tpu_scoped_vmem_limit_kib, in KiB"),
)

FIELDS = (*_keys(), *_MESH, *_BATCH, *_MODEL, *_PATHS, *_FLAGS)

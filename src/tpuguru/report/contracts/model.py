"""Contract model/v1: the architecture of a model and its arithmetic."""

import msgspec

from tpuguru.models.architecture import (
    Architecture,
    LatentAttention,
    LinearAttention,
    MoeMlp,
    SoftmaxAttention,
)
from tpuguru.models.divisibility import divisibility
from tpuguru.models.known import nearest_models
from tpuguru.models.kv_cache import kv_bytes_per_token, state_bytes_per_sequence
from tpuguru.models.mapping import mapping_of
from tpuguru.models.parameters import count_parameters


class LayerKindModel(msgspec.Struct, frozen=True):
    """Layers of one kind, in words."""

    layers: int
    attention: str
    feed_forward: str


class NearestModel(msgspec.Struct, frozen=True):
    """A known model like this one; ``distance`` 0 is the same."""

    name: str
    distance: float
    parameters: int
    source: str


class MappingModel(msgspec.Struct, frozen=True):
    """How MaxText and TorchTitan would describe it; empty names where they have no such model."""

    maxtext_decoder_block: str
    maxtext_name: str
    maxtext_keys: dict[str, str]
    torchtitan_folder: str
    torchtitan_name: str
    missing: list[str]


class ModelReport(msgspec.Struct, frozen=True):
    """What ``tpuguru model CONFIG --json`` prints. Bytes are for bf16 caches on one device."""

    name: str
    read_as: str
    family: str
    hidden: int
    vocabulary: int
    layers: list[LayerKindModel]
    prediction_layers: int
    parameters: int
    active_parameters: int
    parameters_by_part: dict[str, int]
    kv_bytes_per_token: int
    state_bytes_per_sequence: int
    tensor_parallel: list[int]
    kv_heads: int
    expert_parallel: list[int]
    pipeline_parallel: list[int]
    nearest: list[NearestModel]
    mapping: MappingModel
    version: str = "model/v1"


def model_report(architecture: Architecture, read_as: str) -> ModelReport:
    """Return the report of an architecture; ``read_as`` says what kind of file it came from."""
    count = count_parameters(architecture)
    divides = divisibility(architecture)
    return ModelReport(
        name=architecture.name,
        read_as=read_as,
        family=architecture.family,
        hidden=architecture.hidden,
        vocabulary=architecture.vocabulary,
        layers=_kinds(architecture),
        prediction_layers=len(architecture.mtp),
        parameters=count.total,
        active_parameters=count.active,
        parameters_by_part=dict(count.by_part),
        kv_bytes_per_token=kv_bytes_per_token(architecture),
        state_bytes_per_sequence=state_bytes_per_sequence(architecture),
        tensor_parallel=list(divides.tensor_parallel),
        kv_heads=divides.kv_heads,
        expert_parallel=list(divides.expert_parallel),
        pipeline_parallel=list(divides.pipeline_parallel),
        nearest=_nearest(architecture),
        mapping=_mapping(architecture),
    )


def _kinds(architecture: Architecture) -> list[LayerKindModel]:
    return [
        LayerKindModel(number, _attention(layer.attention), _feed_forward(layer.mlp))
        for layer, number in architecture.kinds.items()
    ]


def _attention(attention: object) -> str:
    if isinstance(attention, SoftmaxAttention):
        window = f", window {attention.window}" if attention.window else ""
        return f"{attention.heads} heads on {attention.kv_heads} KV heads of {attention.head_size}{window}"
    if isinstance(attention, LatentAttention):
        return f"latent (MLA), {attention.heads} heads, KV rank {attention.kv_rank} + {attention.rotary_size}"
    assert isinstance(attention, LinearAttention)  # noqa: S101 - there are three kinds
    return (
        f"gated delta net, {attention.key_heads} key and {attention.value_heads} value heads"
        f" of {attention.key_size} x {attention.value_size}"
    )


def _feed_forward(mlp: object) -> str:
    if isinstance(mlp, MoeMlp):
        shared = f", shared {mlp.shared_width}" if mlp.shared_width else ""
        return f"{mlp.experts} experts of {mlp.width}, {mlp.active} active{shared}"
    return f"dense {getattr(mlp, 'width', 0)}"


def _nearest(architecture: Architecture) -> list[NearestModel]:
    return [
        NearestModel(known.name, round(distance, 3), count_parameters(known.architecture).total, known.source)
        for known, distance in nearest_models(architecture)
    ]


def _mapping(architecture: Architecture) -> MappingModel:
    mapping = mapping_of(architecture)
    return MappingModel(
        maxtext_decoder_block=mapping.decoder_block,
        maxtext_name=mapping.maxtext_name,
        maxtext_keys={entry.key: entry.value for entry in mapping.maxtext_keys},
        torchtitan_folder=mapping.torchtitan_folder,
        torchtitan_name=mapping.torchtitan_name,
        missing=list(mapping.missing),
    )


CONTRACT = ("model.v1", ModelReport)

"""Parameters that one GPU holds, in the three buckets that are sharded differently."""

from collections.abc import Iterable
from dataclasses import dataclass

from tpuguru.memory.megatron.run import MegatronRun
from tpuguru.memory.megatron.stages import kinds_of, layers_of_stage
from tpuguru.models.architecture import Layer
from tpuguru.models.parameters import Part, Sharding, layer_parts, mtp_parts

_VOCABULARY_MULTIPLE = 128  # Megatron-LM --make-vocab-size-divisible-by, times TP


@dataclass(frozen=True, slots=True)
class LocalParameters:
    """Counts on one GPU: ``experts`` are the routed experts, ``dense`` everything else."""

    dense: float
    experts: float

    @property
    def total(self) -> float:
        """All parameters of the GPU."""
        return self.dense + self.experts


def padded_vocabulary(run: MegatronRun) -> int:
    """Return the vocabulary as Megatron pads it: to a multiple of 128 x TP."""
    multiple = _VOCABULARY_MULTIPLE * run.tensor_parallel
    return -(-run.architecture.vocabulary // multiple) * multiple


def local_parameters(run: MegatronRun, stage: int) -> LocalParameters:
    """Return the parameters of a GPU of ``stage``.

    Tensor-sharded parts are divided by TP, norms and routers are whole on every rank, experts are divided by
    EP x expert-TP; layers by PP (Megatron-LM PR 4687, issue 4050). The embedding is on the first stage, the
    output projection on the last; tied embeddings are copied to both when PP > 1.
    """
    hidden, biased = run.architecture.hidden, run.architecture.norm_bias
    dense = experts = 0.0
    for layer, number in kinds_of(layers_of_stage(run, stage)).items():
        each = _divide(run, layer_parts(hidden, layer, norm_bias=biased))
        dense, experts = dense + number * each.dense, experts + number * each.experts
    edges = _divide(run, _edges(run, stage))
    return LocalParameters(dense + edges.dense, experts + edges.experts)


def _edges(run: MegatronRun, stage: int) -> list[Part]:
    architecture = run.architecture
    last, parts = stage == run.pipeline_parallel - 1, []
    table = Part("embedding", padded_vocabulary(run) * architecture.hidden)
    if stage == 0:
        parts.append(table)
    if last:
        if not architecture.tied_embeddings or run.pipeline_parallel > 1:
            parts.append(table)
        parts.append(Part("norms", architecture.hidden, Sharding.REPLICATED))
    if last and run.with_mtp:
        for layer in architecture.mtp:
            parts.extend(mtp_parts(architecture.hidden, layer, norm_bias=architecture.norm_bias))
    return parts


def _divide(run: MegatronRun, parts: Iterable[Part]) -> LocalParameters:
    shares = {
        Sharding.TENSOR: run.tensor_parallel,
        Sharding.REPLICATED: 1,
        Sharding.EXPERT: run.expert_parallel * run.expert_tensor,
    }
    dense = experts = 0.0
    for part in parts:
        share = part.count / shares[part.sharding]
        if part.sharding is Sharding.EXPERT:
            experts += share
        else:
            dense += share
    return LocalParameters(dense, experts)


def dense_layer_parameters(run: MegatronRun, layer: Layer) -> float:
    """Return the parameters of one layer on a GPU, experts left out."""
    parts = layer_parts(run.architecture.hidden, layer, norm_bias=run.architecture.norm_bias)
    return _divide(run, parts).dense

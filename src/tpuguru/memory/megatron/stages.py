"""Which layers a pipeline stage holds, and how many microbatches it keeps alive."""

from tpuguru.memory.megatron.run import MegatronRun
from tpuguru.models.architecture import Layer


def layers_of_stage(run: MegatronRun, stage: int) -> tuple[Layer, ...]:
    """Return the decoder layers of a stage (as Megatron-LM's transformer_block lays them out).

    With virtual pipelining, stage r holds every PP-th chunk. An uneven split without a description gives the
    first stages one layer more.
    """
    layers, stages, chunks = run.architecture.layers, run.pipeline_parallel, run.virtual_pipeline
    if chunks > 1 and len(layers) % (stages * chunks) == 0:
        size = len(layers) // (stages * chunks)
        starts = [(chunk * stages + stage) * size for chunk in range(chunks)]
        return tuple(layer for start in starts for layer in layers[start : start + size])
    sizes = run.layers_of_stages or _even(len(layers), stages)
    start = sum(sizes[:stage])
    return layers[start : start + sizes[stage]]


def kinds_of(layers: tuple[Layer, ...]) -> dict[Layer, int]:
    """Return how many layers of each kind there are: a stage of 60 layers has one to four kinds."""
    counts: dict[Layer, int] = {}
    for layer in layers:
        counts[layer] = counts.get(layer, 0) + 1
    return counts


def _even(layers: int, stages: int) -> tuple[int, ...]:
    each, more = divmod(layers, stages)
    return tuple(each + (stage < more) for stage in range(stages))


def in_flight(run: MegatronRun, stage: int) -> float:
    """Return the microbatches whose activations a stage holds at its peak, in units of the whole stage.

    1F1B: stage r has PP - r warm-up forwards before the first backward, and no more than there are
    microbatches (Narayanan et al., arXiv:2104.04473, section 2.2). Interleaved: 2 (PP - r - 1) + (v - 1) PP +
    1 chunks of 1/v stage each (Megatron-LM, schedules.py, forward_backward_pipelining_with_interleaving).
    """
    stages, chunks = run.pipeline_parallel, run.virtual_pipeline
    if chunks == 1:
        return min(run.microbatches, stages - stage)
    alive = 2 * (stages - stage - 1) + (chunks - 1) * stages + 1
    return min(run.microbatches * chunks, alive) / chunks

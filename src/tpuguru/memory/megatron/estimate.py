"""The estimate: every stage's peak, and the fullest one."""

from collections.abc import Iterator

from tpuguru.memory.budget import Budget, BudgetPart, Place
from tpuguru.memory.megatron.activations import SOURCE as ACTIVATIONS
from tpuguru.memory.megatron.local_parameters import (
    dense_layer_parameters,
    local_parameters,
    padded_vocabulary,
)
from tpuguru.memory.megatron.outside import outside_parts
from tpuguru.memory.megatron.recompute import kept_per_token
from tpuguru.memory.megatron.run import Loss, MegatronRun
from tpuguru.memory.megatron.stages import in_flight, kinds_of, layers_of_stage
from tpuguru.memory.megatron.state import host_parts, state_parts

_BYTES_PER_LOGIT = {
    Loss.FUSED: 4,
    Loss.UNFUSED: 8,
    Loss.RL: 10,
    Loss.LOG_PROBABILITIES: 6,
    Loss.CHUNKED: 10,
}
_CHUNK = 1024  # tokens


def estimate(run: MegatronRun) -> Budget:
    """Return the budget of the pipeline stage that needs most.

    Peak = state + stored activations + the larger of the loss phase and one recomputed layer + transients.
    Takes about a millisecond, so that a caller may estimate again after each change of the run.
    """
    return max(stage_budgets(run), key=lambda budget: budget.gpu_bytes)


def stage_budgets(run: MegatronRun) -> Iterator[Budget]:
    """Yield the budget of every pipeline stage, the first stage first."""
    return (Budget(tuple(_stage(run, stage)), stage) for stage in range(run.pipeline_parallel))


def _stage(run: MegatronRun, stage: int) -> Iterator[BudgetPart]:
    local = local_parameters(run, stage)
    yield from state_parts(run, local)
    logits, again = _loss_phase(run, stage), 0
    if run.trains:
        stored, again = _activations(run, stage)
        yield from stored
    # The loss is done before the first layer is recomputed, so only the larger of the two counts.
    if logits.bytes >= again and logits.bytes:
        yield logits
    elif again:
        formula = f"one recomputed layer over {run.microbatch_tokens} tokens"
        yield BudgetPart("recomputed_layer", again, Place.GPU, formula, ACTIVATIONS)
    if run.trains:
        yield _transients(run, stage)
    yield from outside_parts(run)
    yield from host_parts(run, local)


def _activations(run: MegatronRun, stage: int) -> tuple[list[BudgetPart], int]:
    """Return the stored activations, by kind, and the bytes of one layer while it is computed again."""
    layers, alive = layers_of_stage(run, stage), in_flight(run, stage)
    kept, tokens = kept_per_token(run, layers), run.microbatch_tokens
    parts = []
    for kind, each in kept.stored.items():
        formula = f"{each:.0f} B per token x {tokens} tokens x {alive:g} microbatches alive"
        parts.append(
            BudgetPart("activations", round(each * tokens * alive), Place.GPU, formula, ACTIVATIONS, kind)
        )
    edge = _final_norm(run, stage)
    formula = f"{edge:.0f} B per token x {tokens} tokens"
    parts.append(
        BudgetPart("activations", round(edge * tokens), Place.GPU, formula, ACTIVATIONS, "final norm")
    )
    return [part for part in parts if part.bytes], round(kept.again * tokens)


def _final_norm(run: MegatronRun, stage: int) -> float:
    # The last stage keeps the input of the final normalisation and its output, the input of the output
    # projection.
    return 4 * run.architecture.hidden / run.sequence_split if stage == run.pipeline_parallel - 1 else 0.0


def _loss_phase(run: MegatronRun, stage: int) -> BudgetPart:
    tokens = min(run.microbatch_tokens, _CHUNK) if run.loss is Loss.CHUNKED else run.microbatch_tokens
    width = padded_vocabulary(run) // run.tensor_parallel
    loss = run.loss if run.trains else Loss.LOG_PROBABILITIES
    each = _BYTES_PER_LOGIT[loss]
    on_stage = stage == run.pipeline_parallel - 1
    formula = f"{each} B x {tokens} tokens x {width} of the vocabulary, loss {loss.value}"
    source = "copies of the logits: slime issues 1951, 2253; Megatron-Bridge PR 5508"
    return BudgetPart("logits", each * tokens * width if on_stage else 0, Place.GPU, formula, source)


def _transients(run: MegatronRun, stage: int) -> BudgetPart:
    """Return the bf16 weight gradient of the layer at hand, before it is added to the accumulation buffer.

    2 bytes per parameter of the largest layer, experts left out: with them the DeepSeek rows of SimuMax's
    table come out 1.5 to 4.6 % too high, without this term its dense rows 1.9 to 8.6 % too low.
    """
    kinds = kinds_of(layers_of_stage(run, stage))
    largest = max((dense_layer_parameters(run, layer) for layer in kinds), default=0.0)
    formula = f"2 B x {largest / 1e9:.3f}e9 parameters of one layer, experts left out"
    return BudgetPart("transients", round(2 * largest), Place.GPU, formula, "fitted to SimuMax's B200 table")

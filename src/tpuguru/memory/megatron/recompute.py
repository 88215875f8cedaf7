"""What recomputation leaves stored, and what it needs while a layer is computed again."""

from collections.abc import Mapping
from dataclasses import dataclass

from tpuguru.memory.megatron.activations import layer_activations
from tpuguru.memory.megatron.run import MegatronRun
from tpuguru.memory.megatron.stages import kinds_of
from tpuguru.models.architecture import Layer

# Which share of which part a module of --recompute-modules leaves out (Megatron-LM, transformer_config.py).
# Flash attention stores no attention matrix, so core_attn saves nothing.
_MODULES: Mapping[str, Mapping[str, float]] = {
    "core_attn": {},
    "moe_act": {"routed experts": 1 / 3},
    "layernorm": {"norms": 0.5, "attention inputs": 0.5},
    "mla_up_proj": {"latent attention": 0.5},
    "mlp": {"mlp": 1.0},
    "moe": {"router": 1.0, "shared experts": 1.0, "expert dispatch": 1.0, "routed experts": 1.0},
    "shared_experts": {"shared experts": 1.0},
}


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes per token: ``stored`` until the backward pass, ``again`` while one layer is recomputed."""

    stored: Mapping[str, float]
    again: float


def known_modules() -> tuple[str, ...]:
    """Return the module names that selective recomputation understands."""
    return tuple(_MODULES)


def kept_per_token(run: MegatronRun, layers: tuple[Layer, ...]) -> Kept:
    """Return what the layers of a stage keep per token of one microbatch, under the run's recomputation."""
    recompute = run.recompute
    if recompute.granularity != "full":
        modules = recompute.modules if recompute.granularity == "selective" else ()
        return Kept(_stored(run, layers, modules), 0.0)
    block = recompute.layers if recompute.method == "block" else len(layers)
    checkpointed, whole = layers[:block], layers[block:]
    checkpoint = 2 * run.architecture.hidden / run.sequence_split
    count = len(checkpointed)
    if recompute.method == "uniform" and recompute.layers > 1:
        count = -(-count // recompute.layers)  # one checkpoint for each group of layers
    stored = _stored(run, whole)
    stored["checkpoints"] = checkpoint * count
    return Kept(stored, _again(run, checkpointed))


def _again(run: MegatronRun, layers: tuple[Layer, ...]) -> float:
    sizes = {layer: sum(layer_activations(run, layer).values()) for layer in kinds_of(layers)}
    each = [sizes[layer] for layer in layers]
    group = run.recompute.layers if run.recompute.method == "uniform" else 1
    return max((sum(each[start : start + group]) for start in range(0, len(each), group)), default=0.0)


def _without(parts: Mapping[str, float], modules: tuple[str, ...]) -> dict[str, float]:
    left = dict(parts)
    for module in modules:
        for part, share in _MODULES.get(module, {}).items():
            if part in left:
                left[part] = max(0.0, left[part] - share * parts[part])
    return left


def _stored(run: MegatronRun, layers: tuple[Layer, ...], modules: tuple[str, ...] = ()) -> dict[str, float]:
    total: dict[str, float] = {}
    for layer, number in kinds_of(layers).items():
        for name, size in _without(layer_activations(run, layer), modules).items():
            total[name] = total.get(name, 0.0) + number * size
    return total

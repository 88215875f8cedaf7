"""The context line: what is judged, from the file name, the flags and the model configuration."""

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.hardware.chips import find_chip

_UNKNOWN = "?"
_DEVICES = {"npu": "Ascend NPU", "klx": "Kunlun XPU"}


def context_line(facts: Facts) -> str:
    """Return «**Context:** model=… · GPUs=… · mode=… · TP/PP/CP/EP/ETP · max-resp-len=… · GPU=…»."""
    parts = (
        f"model={_text(facts, 'relax.model')} ({_kind(facts)}, {_text(facts, 'relax.modality')})",
        f"GPUs={_text(facts, 'relax.gpus')} ({_nodes(facts)})",
        f"mode={_text(facts, 'relax.mode')}",
        _parallel(facts),
        f"max-resp-len={_response_length(facts)}",
        f"GPU={device(facts)}",
    )
    return f"**Context:** {' · '.join(parts)}"


def device(facts: Facts) -> str:
    """Return the GPU's name with its memory, and «assumed» when nobody named it."""
    name = facts.get("hw.chip")
    if isinstance(name.value, Unknown):
        kind = _DEVICES.get(_text(facts, "relax.accelerator"), "unknown")
        return f"{kind} (memory not known; --gpu NAME)"
    chip = find_chip(str(name.value))
    title = chip.title.replace("NVIDIA ", "").replace(" GB", "GB") if chip else str(name.value)
    assumed = facts.get("hw.hbm").origin.kind is OriginKind.FILLED_IN or (
        name.origin.kind is OriginKind.FILLED_IN
    )
    return f"{title} (assumed)" if assumed else title


def _text(facts: Facts, name: str) -> str:
    value = facts.get(name).value
    return _UNKNOWN if isinstance(value, Unknown) else str(value)


def _response_length(facts: Facts) -> str:
    if facts.get("relax.objective").value != "rl":
        return "–"  # nothing is generated
    return _text(facts, "relax.batch.response_length")


def _kind(facts: Facts) -> str:
    moe = facts.get("relax.moe").value
    if isinstance(moe, Unknown):
        return "sizes unknown"
    kind = "MoE" if moe else "dense"
    named = facts.get("relax.moe").origin.kind is OriginKind.OPTION
    return f"{kind}, sizes as --model says" if named else kind


def _nodes(facts: Facts) -> str:
    gpus, each = facts.get("relax.gpus").value, facts.get("relax.gpus_per_node").value
    if not isinstance(gpus, int) or not isinstance(each, int) or each < 1:
        return f"{_UNKNOWN}×{_UNKNOWN}"
    return f"1×{gpus}" if gpus <= each else f"{-(-gpus // each)}×{each}"


def _parallel(facts: Facts) -> str:
    sizes = (
        ("TP", "tensor"),
        ("PP", "pipeline"),
        ("CP", "context"),
        ("EP", "expert"),
        ("ETP", "expert_tensor"),
    )
    return "/".join(f"{title}{_text(facts, f'relax.parallel.{name}')}" for title, name in sizes)

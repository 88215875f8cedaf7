"""Mosaic (Pallas) kernels: names, families, effective settings; the attention and MoE path they make."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tpuguru.artifacts.code_model import Kernel, SettingValue
from tpuguru.artifacts.hlo.loops import Executions
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import arrays_of
from tpuguru.artifacts.stablehlo import StableHlo

_TARGET = 'custom_call_target="tpu_custom_call"'
_METADATA = re.compile(r'"xprof_metadata":\s*"((?:[^"\\]|\\.)*)"')
_FLOPS = re.compile(r'"cost_estimate":\{[^}]*"flops":"?(-?\d+)')
_NUMBERED = re.compile(r"(?:\.(?:\d+|clone|cloned|remat\d*))+$")
_ATTENTION = re.compile(r"splash|flash|attention|mha|mqa|paged|mla_", re.IGNORECASE)
_GROUPED = re.compile(r"gmm|ragged_dot|grouped_matmul|megablox", re.IGNORECASE)
_NAMELESS = frozenset(("", "_lambda_", "custom-call", "tpu_custom_call", "closed_call"))
_REMAT = "rematted_computation"
_MOST_SCORE_DIMENSIONS = 4  # batch, heads, queries, keys


@dataclass(frozen=True, slots=True)
class Path:
    """What was found for one part of the model, and why."""

    name: str
    why: str


def read_kernels(module: Module, executions: Executions) -> tuple[Kernel, ...]:
    """Return the kernels of the final HLO, those called most often first."""
    sites: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in module.instructions("custom-call", "custom-call-start"):
        if _TARGET in instruction.attributes:
            sites[kernel_name(instruction)].append(instruction)
    kernels = [_kernel(name, instructions, executions) for name, instructions in sites.items()]
    return tuple(sorted(kernels, key=lambda kernel: (-kernel.executions_per_step, kernel.name)))


def kernel_name(instruction: Instruction) -> str:
    """Return the kernel's own name; a nameless one takes the part of its path before ``pallas_call``."""
    name = _NUMBERED.sub("", instruction.name)
    if name not in _NAMELESS:
        return name
    parts = [part for part in instruction.op_name.split("/") if part and part != "pallas_call"]
    return re.sub(r"^(?:jit|vmap|custom_vjp_call)\((.*)\)$", r"\1", parts[-1]) if parts else name


def _kernel(name: str, instructions: Sequence[Instruction], executions: Executions) -> Kernel:
    first = instructions[0]
    return Kernel(
        name=name,
        family=_family(name, first.op_name),
        instances=len(instructions),
        executions_per_step=sum(executions.of(instruction) for instruction in instructions),
        operand_dtypes=_operand_dtypes(instructions),
        settings=settings_of(first.attributes),
        op_name=first.op_name,
        recomputed_instances=sum(_REMAT in instruction.op_name for instruction in instructions),
        flops=_estimate(first),
    )


def _family(name: str, op_name: str) -> str:
    # The name decides; the path only speaks for nameless kernels, as a layer may be called «attention».
    for text in (name, *op_name.split("/")[-3:]):
        if _GROUPED.search(text):
            return "grouped-matmul"
        if _ATTENTION.search(text):
            return "attention"
    return "other"


def _operand_dtypes(instructions: Sequence[Instruction]) -> tuple[str, ...]:
    """Element types of the operands with two or more dimensions (the others are tables and scalars)."""
    found = {
        array.dtype: None
        for instruction in instructions
        for text in instruction.operand_shapes
        for array in arrays_of(text)
        if len(array.dimensions) > 1
    }
    return tuple(found)


def settings_of(attributes: str) -> dict[str, SettingValue]:
    """Return the kernel's effective settings from its kernel_metadata, nested ones with dotted names."""
    found = _METADATA.search(attributes)
    if found is None:
        return {}
    try:
        return dict(_flat(json.loads(json.loads(f'"{found[1]}"'))))
    except (ValueError, RecursionError):
        return {}


def _flat(value: object, prefix: str = "") -> Sequence[tuple[str, SettingValue]]:
    if isinstance(value, Mapping):
        return [
            pair
            for key, inner in value.items()
            for pair in _flat(inner, f"{prefix}.{key}" if prefix else str(key))
        ]
    if isinstance(value, bool | int | float | str):
        return [(prefix, value)]
    return [(prefix, json.dumps(value))] if value is not None else []


def estimated_flops(instruction: Instruction) -> int:
    """Return the kernel's own FLOP estimate for one execution; 0 when it carries none."""
    return _estimate(instruction) or 0


def _estimate(instruction: Instruction) -> int | None:
    found = _FLOPS.search(instruction.attributes)
    return int(found[1]) if found and int(found[1]) > 0 else None


def is_kernel(instruction: Instruction) -> bool:
    """Whether the instruction runs a Mosaic kernel."""
    return _TARGET in instruction.attributes


def attention_path(module: Module, kernels: Sequence[Kernel]) -> Path:
    """Tell which attention was compiled: a kernel by its name, else a softmax over a score matrix."""
    ours = [kernel for kernel in kernels if kernel.family == "attention"]
    if ours:
        main = max(ours, key=lambda kernel: (kernel.executions_per_step, kernel.name))
        return Path(
            _attention_name(main), f"kernel {main.name}, {main.executions_per_step} executions a step"
        )
    scores = [instruction for instruction in module.instructions("exponential") if _is_score(instruction)]
    if scores:
        shape = arrays_of(scores[0].shape)[0].text
        return Path("dot-product", f"no attention kernel; softmax over {shape} ({scores[0].op_name})")
    return Path("none", "no attention kernel and no softmax over a score matrix")


def _attention_name(kernel: Kernel) -> str:
    name, path = kernel.name.lower(), kernel.op_name
    if "ragged_paged" in name or "paged" in name:
        return "ragged-paged" if "ragged" in name else "paged"
    if "splash" in name or "splash" in path:
        return "tokamax-splash" if "vmap(jit(_splash_attention))" in path or "tokamax" in path else "splash"
    if "cudnn" in name:
        return "cudnn"
    return "flash" if "flash" in name else kernel.name


def _is_score(instruction: Instruction) -> bool:
    """Recognise a softmax's exponential over [batch, heads, …, queries, keys] by its path and rank."""
    arrays = arrays_of(instruction.shape)
    return bool(
        arrays
        and len(arrays[0].dimensions) >= _MOST_SCORE_DIMENSIONS
        and sum(size > 1 for size in arrays[0].dimensions) >= 2
        and re.search(r"(?:^|/)exp\d*$|softmax", instruction.op_name)
    )


def moe_path(module: Module, kernels: Sequence[Kernel], stablehlo: StableHlo | None) -> Path:
    """Tell how experts are computed: grouped-matmul kernel, ragged_dot, one-hot dispatch, or all of them."""
    grouped = [kernel for kernel in kernels if kernel.family == "grouped-matmul"]
    if grouped:
        names = ", ".join(f"{kernel.name} ×{kernel.executions_per_step}" for kernel in grouped)
        tokamax = any("ragged_dot" in kernel.name or "tokamax" in kernel.op_name for kernel in grouped)
        return Path("tokamax-gmm" if tokamax else "megablox", f"kernels {names}")
    dots = module.instructions("dot", "convolution", "ragged-dot")
    ragged = [dot for dot in dots if dot.opcode == "ragged-dot" or "ragged_dot" in dot.op_name]
    if ragged:
        return Path("ragged-dot", f"{len(ragged)} plain dots from ragged_dot, no grouped-matmul kernel")
    if stablehlo and stablehlo.ragged_dots:
        return Path(
            "ragged-dot", f"{stablehlo.ragged_dots} ragged_dot in StableHLO, no grouped-matmul kernel"
        )
    experts = [p for p in module.parameters.values() if re.search(r"moe|expert", p.op_name, re.IGNORECASE)]
    if not experts:
        return Path("none", "no grouped matmul, and no parameter named after experts")
    one_hot = [dot for dot in dots if _one_hot(dot)]
    if one_hot:
        return Path(
            "capacity", f"{len(one_hot)} dots with one-hot (pred) operands dispatch tokens to experts"
        )
    return Path("dense", "experts' parameters, but neither grouped matmul nor one-hot dispatch")


def _one_hot(dot: Instruction) -> bool:
    """Recognise a dispatch or combine einsum: mask times data (a masked count has s32 data)."""
    dtypes = {array.dtype for text in dot.operand_shapes[:2] for array in arrays_of(text)}
    return "pred" in dtypes and bool(dtypes & {"bf16", "f32", "f16"})

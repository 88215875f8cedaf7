"""Matrix products by element type, and what of them is recomputation."""

import re
from collections import defaultdict
from collections.abc import Sequence

from tpuguru.artifacts.code_model import DotKind, Dots, Kernel, Remat
from tpuguru.artifacts.hlo.flops import flops_of
from tpuguru.artifacts.hlo.loops import Executions
from tpuguru.artifacts.hlo.module import Instruction, Module
from tpuguru.artifacts.hlo.shapes import FP8_TYPES, INT8_TYPES, arrays_of
from tpuguru.artifacts.kernels import estimated_flops, is_kernel
from tpuguru.artifacts.stablehlo import StableHlo

_REMAT = "rematted_computation"
_CLONE = re.compile(r"\.remat\d*(?:$|\.)")
_OPCODES = ("dot", "convolution", "ragged-dot")


def read_dots(module: Module, executions: Executions, stablehlo: StableHlo | None) -> tuple[Dots, list[str]]:
    """Return the census, and the names of dots whose FLOPs the text does not tell (counted as zero)."""
    groups: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
    uncounted: list[str] = []
    for instruction in module.instructions(*_OPCODES):
        flops = flops_of(instruction)
        if flops is None:
            uncounted.append(instruction.name)
        groups[_signature(instruction)].append((executions.of(instruction), flops or 0))
    kinds = [_kind(signature, sites) for signature, sites in groups.items()]
    kinds.sort(key=lambda kind: (-kind.flops, kind.lhs, kind.rhs, kind.out))
    total = sum(kind.flops for kind in kinds)
    return (
        Dots(
            stablehlo=asked_for(stablehlo),
            optimised=tuple(kinds),
            flops_per_step=total,
            int8_flops_share=_share(kinds, INT8_TYPES, total),
            fp8_flops_share=_share(kinds, FP8_TYPES, total),
        ),
        uncounted,
    )


def _signature(instruction: Instruction) -> tuple[str, str, str]:
    texts = (*instruction.operand_shapes[:2], "", "")[:2]
    left, right, out = (next(iter(arrays_of(text)), None) for text in (*texts, instruction.shape))
    return tuple(array.dtype if array else "?" for array in (left, right, out))  # type: ignore[return-value]


def _kind(signature: tuple[str, str, str], sites: Sequence[tuple[int, int]]) -> DotKind:
    return DotKind(
        *signature,
        count=len(sites),
        executions=sum(times for times, _ in sites),
        flops=sum(times * flops for times, flops in sites),
    )


def asked_for(stablehlo: StableHlo | None) -> tuple[DotKind, ...] | None:
    """Return what the StableHLO asks for; None when there is none."""
    if stablehlo is None:
        return None
    return tuple(DotKind(*signature, count=count) for signature, count in sorted(stablehlo.dots.items()))


def _share(kinds: Sequence[DotKind], types: frozenset[str], total: int) -> float | None:
    """Share of dot FLOPs whose two operands both have one of the types; None without dots."""
    if not total:
        return None
    return sum(kind.flops for kind in kinds if kind.lhs in types and kind.rhs in types) / total


def read_remat(module: Module, executions: Executions, kernels: Sequence[Kernel]) -> Remat:
    """Measure recomputation in FLOPs: dots with their loop trips, kernels by their own estimate."""
    recomputed = total = dots = 0
    for instruction in module.instructions(*_OPCODES):
        flops = (flops_of(instruction) or 0) * executions.of(instruction)
        total += flops
        if _REMAT in instruction.op_name:
            recomputed += flops
            dots += 1
    for instruction in module.instructions("custom-call"):
        if is_kernel(instruction):
            flops = estimated_flops(instruction) * executions.of(instruction)
            total += flops
            recomputed += flops if _REMAT in instruction.op_name else 0
    return Remat(
        recomputed_flops=recomputed,
        total_flops=total,
        recomputed_share=recomputed / total if total else None,
        recomputed_dots=dots,
        recomputed_kernels=sum(kernel.recomputed_instances for kernel in kernels),
        compiler_clones=sum(bool(_CLONE.search(instruction.name)) for instruction in module.instructions()),
    )

"""The sections that describe the compiled program: code path, collectives, flags."""

from tpuguru.artifacts.code_model import CodePath, Collectives, DotKind, Kernel
from tpuguru.artifacts.model import Flags
from tpuguru.base.units import format_bytes
from tpuguru.facts.factset import Facts
from tpuguru.report.contracts.check import CodePathRecord, CollectiveRecord, FlagRecord, KernelRecord


def code_path_record(path: CodePath, facts: Facts) -> CodePathRecord:
    """Return which code was compiled, next to what the settings ask for."""
    return CodePathRecord(
        attention=path.attention,
        attention_asked=_said(facts, "maxtext.attention.asked"),
        moe=path.moe,
        moe_asked=_said(facts, "maxtext.moe.path"),
        kernels=tuple(_kernel(kernel) for kernel in path.kernels),
        dots=_dots(path.dots.optimised),
        remat=_remat(path),
        host_offload=_offload(path),
        fallbacks=tuple(f"{fallback.what}: {fallback.evidence}" for fallback in path.fallbacks),
    )


def _said(facts: Facts, name: str) -> str:
    value = facts.get(name).value if name in facts.schema else ""
    return value if isinstance(value, str) else ""


def _kernel(kernel: Kernel) -> KernelRecord:
    settings = " ".join(f"{name}={value}" for name, value in sorted(kernel.settings.items()))
    return KernelRecord(kernel.name, kernel.family, kernel.instances, kernel.executions_per_step, settings)


def _dots(kinds: tuple[DotKind, ...]) -> str:
    """Return the census of matrix products by type, the most frequent first."""
    ranked = sorted(kinds, key=lambda kind: (-kind.flops, -kind.count))
    return ", ".join(f"{kind.count} × {kind.lhs}·{kind.rhs}→{kind.out}" for kind in ranked[:6])


def _remat(path: CodePath) -> str:
    if path.remat.recomputed_share is None:
        return ""
    share = f"{path.remat.recomputed_share:.0%} of the matrix FLOPs are recomputation"
    kernels = path.remat.recomputed_kernels
    return f"{share}, and {kernels} kernel call{'s' if kernels > 1 else ''}" if kernels else share


def _offload(path: CodePath) -> str:
    offload = path.host_offload
    if not offload.annotated and not offload.kept_bytes:
        return ""
    parts = [f"{format_bytes(offload.kept_bytes)} kept in host memory"]
    if offload.annotated is not None:
        parts.insert(0, f"{offload.annotated} tensors annotated")
    if offload.copied_back_bytes:
        parts.append(f"{format_bytes(offload.copied_back_bytes)} copied back whole into HBM")
    return ", ".join(parts)


def collective_records(collectives: Collectives) -> tuple[CollectiveRecord, ...]:
    """Return the traffic by mesh axes and kind, the most bytes first."""
    ranked = sorted(collectives.by_axis, key=lambda traffic: -traffic.bytes_per_step)
    return tuple(
        CollectiveRecord(
            axes=" × ".join(traffic.axes) or "not mapped",
            kind=traffic.kind,
            count=traffic.call_sites,
            executions_per_step=traffic.executions_per_step,
            bytes_per_step=traffic.bytes_per_step,
            network=traffic.network,
        )
        for traffic in ranked
    )


def flag_records(flags: Flags) -> tuple[FlagRecord, ...]:
    """Return each flag that was asked for, with what the compiler's flag file says."""
    return tuple(
        FlagRecord(flag.name, flag.requested, flag.in_force, flag.status) for flag in flags.requested
    )

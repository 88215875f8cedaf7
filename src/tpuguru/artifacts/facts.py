"""COMPILED facts from an extract: what rules compare with what the launch says."""

from collections.abc import Callable, Iterable
from functools import partial

from tpuguru.artifacts.code_model import Collective, DotKind
from tpuguru.artifacts.hlo.shapes import FP8_TYPES, INT8_TYPES
from tpuguru.artifacts.model import Extract
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Record, Unknown, Value

_FIGURES = (
    "argument",
    "temporary",
    "output",
    "alias",
    "generated_code",
    "host_temporary",
    "host_argument",
    "fit",
)

type _Put = Callable[[str, FactValue | None, str], None]

_ATTENTION = frozenset(
    ("splash", "tokamax-splash", "flash", "ragged-paged", "paged", "cudnn", "dot-product", "none")
)
_ALL_TO_ALL = frozenset(("all-to-all", "ragged-all-to-all"))
_HLO, _ASSIGNMENT, _STABLEHLO = "optimised HLO", "buffer assignment", "StableHLO"


def compiled_facts(extract: Extract) -> Facts:
    """Return the COMPILED facts; one whose artifact is missing is unknown and says what it needs."""
    facts = Facts()
    put: _Put = partial(_put, facts)
    for part in (_program, _memory, _parameters, _attention, _kernels, _dots, _other, _collectives, _flags):
        part(extract, put)
    return facts


def _put(facts: Facts, name: str, value: FactValue | None, detail: str) -> None:
    known = Unknown("the artifacts do not tell", f"the {detail}") if value is None else value
    facts.put(f"compiled.{name}", Value(known, Origin(OriginKind.COMPILER, detail)))


def _program(extract: Extract, put: _Put) -> None:
    program, error = extract.program, extract.outcome.error
    put("program", program.name or None, _HLO)
    put("fingerprint", program.fingerprint or None, _HLO)
    put("partitions", program.partitions, "execution options")
    put("chip", extract.target.chip or None, "target arguments")
    put("outcome", extract.outcome.status, "compile log")
    settled = extract.outcome.status != "unknown"
    put("error_code", error.code if error else "" if settled else None, "compile log")
    put("error_space", error.space if error else "" if settled else None, "compile log")
    put("memory.exceeded", error.exceeded_bytes if error else None, "compiler's message")


def _memory(extract: Extract, put: _Put) -> None:
    memory = extract.memory
    origin = memory.figures_from or "memory statistics or buffer assignment"
    for name in (
        "argument",
        "temporary",
        "output",
        "alias",
        "generated_code",
        "host_temporary",
        "host_argument",
        "fit",
    ):
        put(f"memory.{name}", getattr(memory, f"{name}_bytes"), origin)
    put("memory.limit", memory.limit_bytes, memory.limit_from or "chip data or the compiler's message")
    put("memory.headroom", memory.headroom_bytes, "fit figure and limit")
    put("memory.peak_live", memory.peak_live_bytes, "live ranges")
    put("memory.largest_buffer", memory.largest[0].bytes if memory.largest else None, _ASSIGNMENT)
    buffers: tuple[Record, ...] = tuple(
        {
            "name": buffer.name,
            "kind": buffer.kind,
            "shape": buffer.shape,
            "dtype": buffer.dtype,
            "op_name": buffer.op_name,
            "bytes": buffer.bytes,
            "padding": buffer.padding_bytes,
        }
        for buffer in memory.largest
    )
    put("memory.largest", buffers or None, _ASSIGNMENT)


def _parameters(extract: Extract, put: _Put) -> None:
    parameters, donation = extract.memory.parameters, extract.memory.donation
    known = parameters.count > 0
    put("memory.parameters", parameters.bytes if known else None, _HLO)
    put("memory.replicated_parameters", parameters.replicated_bytes if known else None, _STABLEHLO)
    biggest = parameters.replicated[0].bytes if parameters.replicated else 0
    put(
        "memory.largest_replicated_parameter",
        biggest if known and parameters.replicated_bytes is not None else None,
        _STABLEHLO,
    )
    put("memory.not_aliased", donation.not_aliased_bytes, f"{_STABLEHLO} and {_HLO}")
    put("parameters.dtypes", tuple(parameters.dtype_bytes) if known else None, _HLO)
    share = parameters.dtype_bytes.get("f32", 0) / parameters.bytes if parameters.bytes else None
    put("parameters.float32_share", share, _HLO)


def _attention(extract: Extract, put: _Put) -> None:
    path = extract.code_path
    name = path.attention if path.attention in _ATTENTION else "other-kernel"
    put("attention", None if path.attention == "unknown" else name, _HLO)
    kernels = [kernel for kernel in path.kernels if kernel.family == "attention"]
    put(
        "attention.dq_kernel",
        any("dq" in _words(kernel.name) for kernel in kernels) if kernels else None,
        _HLO,
    )
    forward = [kernel for kernel in kernels if not {"dq", "dkv", "bwd"} & set(_words(kernel.name))]
    put("attention.recomputed", any(k.recomputed_instances for k in forward) if forward else None, _HLO)
    settings = forward[0].settings if forward else {}
    for block in ("block_q", "block_kv", "block_kv_compute"):
        size = settings.get(block)
        put(f"splash.{block}", size if isinstance(size, int) else None, "kernel_metadata in the HLO")


def _words(name: str) -> list[str]:
    return name.lower().replace("-", "_").split("_")


def _kernels(extract: Extract, put: _Put) -> None:
    path, read = extract.code_path, extract.program.instructions > 0
    put("moe", None if path.moe == "unknown" else path.moe, _HLO)
    records: tuple[Record, ...] = tuple(
        {
            "name": kernel.name,
            "family": kernel.family,
            "instances": kernel.instances,
            "executions": kernel.executions_per_step,
        }
        for kernel in path.kernels
    )
    put("kernels", records if read else None, _HLO)
    put("kernel_names", tuple(sorted(kernel.name for kernel in path.kernels)) if read else None, _HLO)
    for name, family in (("attention", "attention"), ("grouped_matmul", "grouped-matmul")):
        sites = sum(kernel.instances for kernel in path.kernels if kernel.family == family)
        put(f"kernels.{name}", sites if read else None, _HLO)
    grouped = {dtype for k in path.kernels if k.family == "grouped-matmul" for dtype in k.operand_dtypes}
    put("grouped_matmul.dtypes", tuple(sorted(grouped)) if read else None, _HLO)


def _dots(extract: Extract, put: _Put) -> None:
    dots, read = extract.code_path.dots, extract.program.instructions > 0
    put("dots.total", sum(dot.count for dot in dots.optimised) if read else None, _HLO)
    for name, types in _TYPES.items():
        put(f"dots.{name}", _with(dots.optimised, types) if read else None, _HLO)
    for name in ("int8", "fp8"):
        asked = None if dots.stablehlo is None else _with(dots.stablehlo, _TYPES[name])
        put(f"dots.asked_{name}", asked, _STABLEHLO)
    put("dots.int8_flops_share", dots.int8_flops_share, _HLO)
    put("dots.fp8_flops_share", dots.fp8_flops_share, _HLO)
    put("flops", dots.flops_per_step if read else None, _HLO)


_TYPES = {
    "int8": INT8_TYPES,
    "fp8": FP8_TYPES,
    "bf16": frozenset(("bf16",)),
    "f32": frozenset(("f32",)),
}


def _with(dots: Iterable[DotKind], types: frozenset[str]) -> int:
    return sum(dot.count for dot in dots if dot.lhs in types and dot.rhs in types)


def _other(extract: Extract, put: _Put) -> None:
    path, read = extract.code_path, extract.program.instructions > 0
    put("remat.recomputed_share", path.remat.recomputed_share, _HLO)
    put("remat.recomputed_dots", path.remat.recomputed_dots if read else None, _HLO)
    put("remat.recomputed_kernels", path.remat.recomputed_kernels if read else None, _HLO)
    put("remat.compiler_clones", path.remat.compiler_clones if read else None, _HLO)
    host = path.host_offload
    put("offload.annotated", host.annotated, _STABLEHLO)
    put("offload.kept", host.kept_bytes if read else None, _ASSIGNMENT)
    put("offload.copied_back", host.copied_back_bytes if read else None, _HLO)
    put("offload.active", host.kept_buffers > 0 if read else None, _ASSIGNMENT)
    put("fallbacks", tuple(fallback.what for fallback in path.fallbacks) if read else None, _HLO)


def _collectives(extract: Extract, put: _Put) -> None:
    run = extract.collectives.run
    read = extract.program.instructions > 0
    figures: dict[str, FactValue] = {
        "collectives": _records(run),
        "collectives.kinds": tuple(sorted({item.kind for item in run})),
        "collectives.axes": tuple(sorted({axis for item in run for axis in item.axes})),
        "collectives.all_to_all": _times(item for item in run if item.kind in _ALL_TO_ALL),
        "collectives.expert": _times(item for item in run if "expert" in item.axes),
        "collectives.expert_all_to_all": _times(
            item for item in run if item.kind in _ALL_TO_ALL and "expert" in item.axes
        ),
        "collectives.bytes": _size(run),
        "collectives.dcn": _size(item for item in run if item.network in ("dcn", "mixed")),
        "collectives.synchronous_bytes": _size(item for item in run if not item.asynchronous),
        "sparsecore.collectives": sum(item.call_sites for item in run if item.on_sparsecore),
    }
    for name, value in figures.items():
        put(name, value if read else None, _HLO)


def _records(run: Iterable[Collective]) -> FactValue:
    records: tuple[Record, ...] = tuple(
        {
            "kind": item.kind,
            "axes": item.axes_text,
            "network": item.network,
            "asynchronous": item.asynchronous,
            "executions": item.executions_per_step,
            "bytes": item.bytes_per_step,
        }
        for item in run
    )
    return records


def _times(run: Iterable[Collective]) -> int:
    return sum(item.executions_per_step for item in run)


def _size(run: Iterable[Collective]) -> int:
    return sum(item.bytes_per_step for item in run)


def _flags(extract: Extract, put: _Put) -> None:
    flags = extract.flags
    known = flags.in_force_count is not None
    absent = tuple(check.name for check in flags.requested if check.status == "absent")
    different = tuple(
        f"{check.name}: asked {check.requested}, in force {check.in_force}"
        for check in flags.requested
        if check.status == "different"
    )
    put("flags.absent", absent if known else None, "flag file")
    put("flags.different", different if known else None, "flag file")
    put("flags.names_checked", len(flags.requested) if known else None, "flag file")

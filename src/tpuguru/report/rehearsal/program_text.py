"""One program of a rehearsal as text."""

from collections.abc import Iterator

from tpuguru.artifacts.code_model import CodePath
from tpuguru.artifacts.memory_model import Buffer, Memory
from tpuguru.artifacts.model import Extract
from tpuguru.base.units import format_bytes
from tpuguru.report.rehearsal.programs import ReadProgram
from tpuguru.report.rehearsal.words import short
from tpuguru.slice.summary import ProgramSummary

_MOST_ARRAYS = 5
_MOST_KERNELS = 6


def program_lines(program: ReadProgram, *, detailed: bool) -> Iterator[str]:
    """Yield a line, and below it what the artifact reader says: all of the step, else what stands out."""
    yield _headline(program.summary)
    if program.extract is None:
        if detailed:
            yield f"  not read: {program.because}"
        return
    yield from (f"  {line}" for line in _code(program.extract.code_path))
    if detailed:
        yield from (f"  {line}" for line in _whole(program.extract))


def _headline(program: ProgramSummary) -> str:
    how = "from an earlier run" if program.cached else f"{program.compile_seconds:.1f} s"
    return (
        f"{program.name}: {program.executions} ×, peak {format_bytes(program.peak_bytes)} "
        f"(arguments {format_bytes(program.argument_bytes)}, "
        f"temporaries {format_bytes(program.temporary_bytes)}), "
        f"{program.donated} donated, {how}"
    )


def _code(path: CodePath) -> Iterator[str]:
    if path.attention not in ("none", "unknown"):
        yield f"attention: {path.attention} ({path.attention_why})"
    if path.moe not in ("none", "unknown"):
        yield f"experts: {path.moe} ({path.moe_why})"
    if path.kernels:
        named = ", ".join(
            f"{kernel.name} × {kernel.executions_per_step}" for kernel in path.kernels[:_MOST_KERNELS]
        )
        yield f"kernels: {named}" + (" …" if len(path.kernels) > _MOST_KERNELS else "")
    if path.remat.recomputed_share:
        yield f"recomputed: {path.remat.recomputed_share:.1%} of the matrix FLOPs"
    offload = path.host_offload
    if offload.annotated or offload.kept_buffers:
        back = f", {format_bytes(offload.copied_back_bytes)} copied back whole"
        yield (
            f"host offload: {offload.annotated or 0} tensors annotated, "
            f"{format_bytes(offload.kept_bytes)} kept on the host{back if offload.copied_back_bytes else ''}"
        )
    yield from (f"! {fallback.what}: {fallback.evidence}" for fallback in path.fallbacks)


def _whole(extract: Extract) -> Iterator[str]:
    mesh = " × ".join(f"{name} {size}" for name, size in extract.program.mesh if size > 1)
    if mesh:
        yield f"mesh: {mesh}"
    yield from _memory(extract.memory)
    trips = [item for item in extract.missing if "loops" in item.what]
    yield from (f"not told: {item.what}: {item.because}" for item in trips)


def _memory(memory: Memory) -> Iterator[str]:
    if memory.parameters.replicated_bytes:
        biggest = memory.parameters.replicated[0]
        yield (
            f"arguments whole on every device: {format_bytes(memory.parameters.replicated_bytes)}, "
            f"the largest {biggest.shape} ({format_bytes(biggest.bytes)})"
        )
    arrays = memory.largest or memory.made
    if arrays:
        yield "largest arrays it makes:" if memory.made else "largest buffers at its peak:"
        yield from (f"  {_array(array)}" for array in arrays[:_MOST_ARRAYS])


def _array(buffer: Buffer) -> str:
    place = f"  ({short(f'{buffer.source_file}:{buffer.source_line}')})" if buffer.source_file else ""
    return f"{format_bytes(buffer.bytes):>10}  {buffer.shape}  {buffer.op_name or buffer.name}{place}"

"""An extract as text for a terminal: what a person asks first comes first."""

from collections.abc import Iterator

from tpuguru.artifacts.code_model import AxisTraffic, CodePath, Collectives, Kernel
from tpuguru.artifacts.memory_model import Buffer, Memory
from tpuguru.artifacts.model import Extract, Flags, Outcome
from tpuguru.base.units import format_bytes

_MOST_ROWS = 12
_MOST_FLAGS = 20


def extract_text(extract: Extract) -> str:
    """Return the extract as plain text."""
    parts = (
        _heading(extract),
        _outcome(extract.outcome),
        _memory(extract.memory),
        _code(extract.code_path),
        _collectives(extract.collectives),
        _flags(extract.flags),
        _missing(extract),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _heading(extract: Extract) -> Iterator[str]:
    program, target = extract.program, extract.target
    chip = target.chip or target.version or "unknown chip"
    count = f"{program.partitions} partitions" if program.partitions else "partitions unknown"
    slices = f", {program.slices} slices" if program.slices > 1 else ""
    yield f"{program.name}: {count} on {chip}{slices} ({program.stage}, {program.instructions} instructions)"
    mesh = " × ".join(f"{name} {size}" for name, size in program.mesh if size > 1)
    if mesh:
        yield f"  mesh: {mesh} (from {program.mesh_from})"
    if program.fingerprint:
        yield f"  fingerprint {program.fingerprint[:16]}"
    if extract.phases:
        yield "  " + ", ".join(f"{phase.name} {phase.seconds:.1f} s" for phase in extract.phases)


def _outcome(outcome: Outcome) -> Iterator[str]:
    yield f"Outcome: {outcome.status}"
    if outcome.error:
        label = " ".join(filter(None, (outcome.error.code, outcome.error.name)))
        yield f"  {label}: {outcome.error.message}" if label else f"  {outcome.error.message}"


def _memory(memory: Memory) -> Iterator[str]:
    yield "Memory per device"
    if memory.fit_bytes is None:
        yield "  not known"
        return
    yield (
        f"  needs {format_bytes(memory.fit_bytes)} = argument {_size(memory.argument_bytes)}"
        f" + temporaries {_size(memory.temporary_bytes)} + output {_size(memory.output_bytes)}"
        f" - alias {_size(memory.alias_bytes)}  ({memory.figures_from})"
    )
    if memory.limit_bytes is not None and memory.headroom_bytes is not None:
        word = "headroom" if memory.headroom_bytes >= 0 else "too much by"
        yield (
            f"  limit {format_bytes(memory.limit_bytes)} ({memory.limit_from}),"
            f" {word} {format_bytes(abs(memory.headroom_bytes))}"
        )
    if memory.host_temporary_bytes or memory.host_argument_bytes:
        host = (memory.host_temporary_bytes or 0) + (memory.host_argument_bytes or 0)
        yield f"  host memory {format_bytes(host)}"
    if memory.timeline:
        curve = memory.timeline
        yield f"  live at the peak {format_bytes(curve.peak_bytes)}, at {curve.peak_instruction}"
    if memory.donation.not_aliased_bytes:
        yield f"  donated, but no output took it over: {format_bytes(memory.donation.not_aliased_bytes)}"
    if memory.parameters.replicated_bytes:
        yield f"  inputs whole on every device: {format_bytes(memory.parameters.replicated_bytes)}"
    if memory.largest:
        yield "  largest buffers at the peak"
        yield from (_buffer(buffer) for buffer in memory.largest[:_MOST_ROWS])
    elif memory.made:
        yield "  largest arrays it makes (which live together is not told here)"
        yield from (_buffer(buffer) for buffer in memory.made[:_MOST_ROWS])


def _buffer(buffer: Buffer) -> str:
    padding = f", {format_bytes(buffer.padding_bytes)} padding" if buffer.padding_bytes else ""
    place = f"  {buffer.source_file.rsplit('/', 1)[-1]}:{buffer.source_line}" if buffer.source_file else ""
    what = buffer.op_name or buffer.name
    return f"    {format_bytes(buffer.bytes):>11}  {buffer.kind:9}  {buffer.shape}{padding}  {what}{place}"


def _code(path: CodePath) -> Iterator[str]:
    yield "Code path"
    yield (
        f"  attention: {path.attention} ({path.attention_why})"
        if path.attention_why
        else "  attention: unknown"
    )
    if path.moe not in ("none", "unknown"):
        yield f"  experts: {path.moe} ({path.moe_why})"
    yield from (_kernel(kernel) for kernel in path.kernels)
    for asked in () if path.dots.optimised else (path.dots.stablehlo or ())[:_MOST_ROWS]:
        yield f"  dot {asked.lhs} × {asked.rhs} → {asked.out}: {asked.count} in StableHLO"
    for dot in path.dots.optimised[:_MOST_ROWS]:
        yield (
            f"  dot {dot.lhs} × {dot.rhs} → {dot.out}: {dot.count} call sites,"
            f" {dot.executions} executions, {dot.flops:.3e} FLOP a step"
        )
    remat = path.remat
    if remat.recomputed_share:
        yield f"  recomputed: {remat.recomputed_share:.1%} of FLOPs ({remat.recomputed_dots} dots)"
    host = path.host_offload
    if host.annotated or host.kept_buffers:
        annotated = "?" if host.annotated is None else host.annotated
        yield (
            f"  host offload: {annotated} annotated, {host.kept_buffers} buffers"
            f" ({format_bytes(host.kept_bytes)}) kept,"
            f" {format_bytes(host.copied_back_bytes)} copied back whole"
        )
    yield from (f"  SparseCore: {work.kind} ×{work.count}" for work in path.sparsecore)
    yield from (f"  ! {fallback.what}: {fallback.evidence}" for fallback in path.fallbacks)


def _kernel(kernel: Kernel) -> str:
    blocks = {
        key: value
        for key, value in kernel.settings.items()
        if "block" in key or "tile" in key or "tiling" in key
    }
    settings = ", ".join(f"{key}={value}" for key, value in blocks.items())
    return (
        f"  kernel {kernel.name}: {kernel.instances} call sites,"
        f" {kernel.executions_per_step} executions a step" + (f" ({settings})" if settings else "")
    )


def _collectives(collectives: Collectives) -> Iterator[str]:
    yield f"Collectives: {format_bytes(collectives.bytes_per_step)} a step on each device"
    yield from (_traffic(row) for row in collectives.by_axis[:_MOST_ROWS])
    if collectives.asked is not None:
        asked = ", ".join(f"{item.kind} ×{item.count}" for item in collectives.asked) or "none"
        yield f"  asked for in StableHLO: {asked}"


def _traffic(row: AxisTraffic) -> str:
    share = row.asynchronous_bytes_per_step / row.bytes_per_step if row.bytes_per_step else 0.0
    return (
        f"  {row.kind:19} over {' × '.join(row.axes)} ({row.network}): {format_bytes(row.bytes_per_step)},"
        f" {row.executions_per_step} executions, {share:.0%} of bytes asynchronous"
    )


def _flags(flags: Flags) -> Iterator[str]:
    if flags.in_force_count is None:
        return
    yield f"Compiler flags: {flags.in_force_count} in force, {len(flags.notable)} not at their default"
    yield from (f"  {name} = {value}" for name, value in list(flags.notable.items())[:_MOST_FLAGS])
    for check in flags.requested:
        if check.status != "same":
            yield f"  ! {check.name}: asked {check.requested}, {check.status} ({check.in_force or 'unknown'})"


def _missing(extract: Extract) -> Iterator[str]:
    if extract.missing:
        yield "Not told by these artifacts"
        yield from (f"  {item.what}: {item.because}" for item in extract.missing)


def _size(count: int | None) -> str:
    return "?" if count is None else format_bytes(count)

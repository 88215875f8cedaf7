"""The sections about the compiled program: code path, collectives, memory, flags."""

from tpuguru.base.units import format_bytes
from tpuguru.report.check.figures import source_text
from tpuguru.report.contracts.check import CheckReport
from tpuguru.report.rendering.document import Line, Section, Table, Tone


def program_sections(report: CheckReport) -> tuple[Section | None, ...]:
    """Return the sections; None for one with nothing to say."""
    return (_code_path(report), _collectives(report), _memory(report), _flags(report))


def _code_path(report: CheckReport) -> Section | None:
    path = report.code_path
    if path is None:
        return None
    asked = f" (asked for: {path.attention_asked})" if path.attention_asked else ""
    lines: list[Line | Table] = [Line(f"attention: {path.attention}{asked}")]
    if path.moe not in ("", "none"):
        lines.append(
            Line(f"experts: {path.moe}" + (f" (asked for: {path.moe_asked})" if path.moe_asked else ""))
        )
    for label, text in (
        ("matrix products", path.dots),
        ("remat", path.remat),
        ("host offload", path.host_offload),
    ):
        if text:
            lines.append(Line(f"{label}: {text}"))
    lines += [Line(f"fallback: {fallback}", Tone.WARNING) for fallback in path.fallbacks]
    if path.kernels:
        rows = tuple(
            (
                kernel.name,
                kernel.family,
                str(kernel.instances),
                str(kernel.executions_per_step),
                kernel.settings,
            )
            for kernel in path.kernels
        )
        headings = ("kernel", "family", "call sites", "runs a step", "settings in force")
        lines.append(Table(headings, rows, numeric=(2, 3)))
    return Section("Code path, read from the optimised HLO 🔴", tuple(lines))


def _collectives(report: CheckReport) -> Section | None:
    if not report.collectives:
        return None
    rows = tuple(
        (
            traffic.axes,
            traffic.kind,
            traffic.network,
            str(traffic.count),
            str(traffic.executions_per_step),
            format_bytes(traffic.bytes_per_step),
        )
        for traffic in report.collectives
    )
    headings = ("mesh axes", "collective", "network", "call sites", "runs a step", "bytes a step and device")
    return Section("Collectives, read from the optimised HLO 🔴", (Table(headings, rows, numeric=(3, 4, 5)),))


def _memory(report: CheckReport) -> Section | None:
    memory = report.memory
    if memory is None:
        return None
    parts: list[Line | Table] = []
    named = (
        ("arguments", memory.argument),
        ("temporaries", memory.temporary),
        ("outputs", memory.output),
        ("aliased (donated)", memory.alias),
        ("generated code", memory.generated_code),
        ("host memory", memory.host),
    )
    figures = [(name, figure) for name, figure in named if figure is not None]
    if figures:
        text = ", ".join(f"{name} {format_bytes(figure.value)}" for name, figure in figures)
        parts.append(Line(f"{text} {source_text(figures[0][1])}"))
    if memory.largest:
        rows = tuple(
            (
                format_bytes(buffer.bytes),
                buffer.kind,
                buffer.shape,
                buffer.op_name or buffer.name,
                buffer.source,
            )
            for buffer in memory.largest
        )
        parts.append(Table(("size", "kind", "shape", "made by", "source"), rows, numeric=(0,)))
    return Section("Memory of one device", tuple(parts)) if parts else None


def _flags(report: CheckReport) -> Section | None:
    if not report.flags:
        return None
    same = sum(flag.status == "same" for flag in report.flags)
    lines = [Line(f"{len(report.flags)} compiler flags asked for, {same} in force as asked")]
    lines += [
        Line(
            f"{flag.name}: asked {flag.requested}, in force {flag.in_force or 'absent from the flag file'}",
            Tone.WARNING,
        )
        for flag in report.flags
        if flag.status != "same"
    ]
    return Section("Compiler flags", tuple(lines))

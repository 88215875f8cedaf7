"""Chips and slices as text or JSON."""

from collections.abc import Iterator

import msgspec

from tpuguru.base.units import GiB, format_bytes
from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.hardware.chips import Chip, all_chips, find_chip
from tpuguru.hardware.names import parse_slice
from tpuguru.hardware.slices import Slice
from tpuguru.report.contracts.hardware import FigureModel, HardwareReport, hardware_report, unit_of


def chip_list(*, as_json: bool) -> str:
    """Return every chip: a table, or a JSON list of hardware/v1."""
    if as_json:
        return _json([hardware_report(chip, None) for chip in all_chips()])
    header = f"{'chip':10} {'devices':>8} {'memory':>12} {'bf16 peak':>14} {'memory speed':>14}  {'title'}"
    notice = "memory: per device, what a program may use. peaks: per chip, dense."
    return "\n".join([header, *map(_row, all_chips()), "", notice]) + "\n"


def _row(chip: Chip) -> str:
    peak, bandwidth = chip.figure("peak_flops_bf16"), chip.figure("hbm_bandwidth")
    return (
        f"{chip.name:10} {chip.devices_per_chip:>8} {chip.hbm_per_device / GiB:>8.2f} GiB"
        f" {_figure(peak, 'FLOP/s'):>14} {_figure(bandwidth, 'bytes/s'):>14}  {chip.title}"
    )


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    if unit == "bytes":
        return format_bytes(value)
    if unit == "FLOP/s":
        return f"{value / 1e12:g} TFLOP/s"
    if unit == "bytes/s":
        return f"{value / 1e9:g} GB/s"
    return f"{value:g}"


def explain(name: str, *, as_json: bool) -> str:
    """Return what a chip or slice name means. UsageError for a name that is neither."""
    chip = find_chip(name)
    named = None if chip and name.lower() not in chip.machine_types else parse_slice(name)
    report = hardware_report(named.chip if named else chip or parse_slice(name).chip, named)
    if as_json:
        return _json(report)
    return "\n".join([*(_slice_lines(named) if named else ()), *_chip_lines(report)]) + "\n"


def _slice_lines(named: Slice) -> Iterator[str]:
    per_slice = f" in {named.slices} slices of {named.chips_per_slice} chips" if named.slices > 1 else ""
    yield f"{named.text}: {named.chips} {named.chip.title} chips{per_slice}"
    if named.counts in ("cores", "devices"):
        yield f"  the number in the name counts {named.counts}, not chips"
    yield f"  devices   {named.devices} ({named.chip.devices_per_chip} per chip: what JAX and the mesh count)"
    if named.cores:
        yield f"  cores     {named.cores} TensorCores"
    yield f"  hosts     {named.hosts} of {named.chips_per_host} chips ({named.devices_per_host} devices) each"
    yield f"  memory    {format_bytes(named.chip.hbm_per_device * named.devices)} in all"
    if named.topology:
        yield f"  topology  {named.topology_text}, for libtpu {named.libtpu_topology}"
        maxtext = f", for MaxText's compile_topology {named.maxtext_name}" if named.maxtext_name else ""
        yield f"  name      {named.name}{maxtext}"
    yield ""


def _chip_lines(report: HardwareReport) -> Iterator[str]:
    yield f"{report.title} ({report.vendor})"
    sources = list(dict.fromkeys((figure.source, figure.date, figure.url) for figure in report.figures))
    for figure in report.figures:
        cited = sources.index((figure.source, figure.date, figure.url)) + 1
        value = _figure(figure.value, figure.unit)
        yield f"  {LEVEL_SIGNS[figure.level]} {_figure_name(figure):30} {value:>16} [{cited}]{_note(figure)}"
    if report.valid_topologies:
        yield f"  topologies: {', '.join(report.valid_topologies)}{report.larger_topologies}"
    yield f"  names: {', '.join(report.names)}"
    yield "sources:"
    for number, (title, date, url) in enumerate(sources, start=1):
        yield f"  [{number}] {title} ({date}): {url}"


def _figure_name(figure: FigureModel) -> str:
    unit, per = unit_of(figure.name)
    name = figure.name.removesuffix(f"_per_{per}").replace("_", " ")
    return name if unit == "count" else f"{name} per {per}"


def _note(figure: FigureModel) -> str:
    return f"  ({figure.note})" if figure.note else ""


def _json(report: object) -> str:
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"

"""Contract hardware/v1: a chip, and a slice of it when one was named."""

import msgspec

from tpuguru.hardware.chips import Chip
from tpuguru.hardware.slices import Slice


class FigureModel(msgspec.Struct, frozen=True):
    """A published number. ``unit`` is bytes, FLOP/s, bytes/s, or count; ``per`` says of what."""

    name: str
    value: float
    unit: str
    per: str
    level: str
    source: str
    url: str
    date: str
    note: str = ""


class SliceModel(msgspec.Struct, frozen=True):
    """A slice: what its name means in chips, devices, cores and hosts."""

    text: str
    name: str
    counts: str
    slices: int
    topology: str
    chips: int
    devices: int
    cores: int
    hosts: int
    chips_per_host: int
    devices_per_host: int
    hbm_bytes: int
    libtpu_topology: str = ""
    maxtext_name: str = ""


class HardwareReport(msgspec.Struct, frozen=True):
    """What ``tpuguru hardware NAME --json`` prints."""

    chip: str
    title: str
    vendor: str
    kind: str
    names: list[str]
    valid_topologies: list[str]
    figures: list[FigureModel]
    larger_topologies: str = ""
    slice: SliceModel | None = None
    version: str = "hardware/v1"


_OF_A_DEVICE = ("hbm_per_device",)
_OF_A_CORE = ("vmem_per_core", "smem_per_core")
_OF_A_HOST = ("host_memory",)


def unit_of(figure: str) -> tuple[str, str]:
    """Return the unit of a figure, and of what it is (chip, device, core, host); see hardware/README.md."""
    if figure.startswith("peak_flops"):
        return "FLOP/s", "chip"
    if figure.endswith("bandwidth"):
        return "bytes/s", "chip"
    for names, per in ((_OF_A_DEVICE, "device"), (_OF_A_CORE, "core"), (_OF_A_HOST, "host")):
        if figure in names:
            return "bytes", per
    return "count", "pod" if figure == "pod_chips" else "chip"


def hardware_report(chip: Chip, named: Slice | None) -> HardwareReport:
    """Return the report of a chip and, when the user named one, a slice."""
    from tpuguru.hardware.topologies import shape_text  # noqa: PLC0415

    return HardwareReport(
        chip=chip.name,
        title=chip.title,
        vendor=chip.vendor,
        kind=chip.kind,
        names=sorted(set(chip.every_name())),
        valid_topologies=[shape_text(shape) for shape in chip.topologies.valid],
        figures=_figures(chip),
        larger_topologies=_larger(chip),
        slice=_slice(named) if named else None,
    )


def _larger(chip: Chip) -> str:
    topologies = chip.topologies
    if not topologies.multiple_of:
        return ""
    return (
        f", and AxBxC with A<=B<=C multiples of {topologies.multiple_of}, up to {topologies.most_chips} chips"
    )


def _figures(chip: Chip) -> list[FigureModel]:
    return [
        FigureModel(
            name=name,
            value=figure.value,
            unit=unit_of(name)[0],
            per=unit_of(name)[1],
            level=figure.level,
            source=figure.source.title,
            url=figure.source.url,
            date=figure.source.date,
            note=figure.note,
        )
        for name, figure in chip.figures.items()
    ]


def _slice(named: Slice) -> SliceModel:
    return SliceModel(
        text=named.text,
        name=named.name,
        counts=named.counts,
        slices=named.slices,
        topology=named.topology_text,
        chips=named.chips,
        devices=named.devices,
        cores=named.cores,
        hosts=named.hosts,
        chips_per_host=named.chips_per_host,
        devices_per_host=named.devices_per_host,
        hbm_bytes=named.chip.hbm_per_device * named.devices,
        libtpu_topology=named.libtpu_topology,
        maxtext_name=named.maxtext_name,
    )


CONTRACT = ("hardware.v1", HardwareReport)

"""The facts of a chip or slice, each with the source it came from. What nobody published is unknown."""

from collections.abc import Iterator

from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Unknown, Value
from tpuguru.hardware.chips import Chip
from tpuguru.hardware.slices import Slice

_PER_DEVICE = ("peak_flops_bf16", "peak_flops_fp8", "peak_flops_int8", "hbm_bandwidth")
_WHOLE = {
    "hw.hbm": "hbm_per_device",
    "hw.vmem": "vmem_per_core",
    "hw.smem": "smem_per_core",
    "hw.devices_per_chip": "devices_per_chip",
    "hw.cores_per_chip": "tensor_cores_per_chip",
    "hw.sparse_cores_per_chip": "sparse_cores_per_chip",
    "hw.host_memory": "host_memory",
    "hw.ici_bandwidth": "ici_bandwidth",
    "hw.dcn_bandwidth": "dcn_bandwidth",
    "hw.peak_flops_bf16_per_chip": "peak_flops_bf16",
}


def hardware_facts(target: Slice | Chip, origin: Origin | None = None) -> Iterator[tuple[str, Value]]:
    """Yield the ``hw.*`` facts of a chip, and of the slice when there is one.

    ``origin`` is where the user named it; figures keep the origin of their own source.
    """
    chip = target.chip if isinstance(target, Slice) else target
    named = origin or Origin(OriginKind.HARDWARE, f"hardware/{chip.name}.toml")
    yield from _identity(chip, named)
    yield from _figures(chip)
    if isinstance(target, Slice):
        yield from _slice(target, named)


def _identity(chip: Chip, named: Origin) -> Iterator[tuple[str, Value]]:
    yield "hw.chip", Value(chip.name, named)
    texts = {
        "hw.kind": chip.kind,
        "hw.vendor": chip.vendor,
        "hw.device_kind": chip.device_kind,
        "hw.compute_capability": chip.compute_capability,
    }
    data = Origin(OriginKind.HARDWARE, f"hardware/{chip.name}.toml")
    for name, text in texts.items():
        if text:
            yield name, Value(text, data)


def _figures(chip: Chip) -> Iterator[tuple[str, Value]]:
    for fact, figure in _WHOLE.items():
        yield fact, _value(chip, figure, chip.figure(figure))
    for figure in _PER_DEVICE:
        whole = chip.figure(figure)
        yield f"hw.{figure}", _value(chip, figure, None if whole is None else whole / chip.devices_per_chip)
    yield "hw.hbm_per_chip", _value(chip, "hbm_per_device", chip.hbm_per_chip)


def _value(chip: Chip, figure: str, number: float | None) -> Value:
    if number is None:
        place = f"hardware/{chip.name}.toml"
        unknown = Unknown(f"no published figure for {chip.title}", f"a figure {figure} in {place}")
        return Value(unknown, Origin(OriginKind.HARDWARE, place))
    source = chip.figures[figure].source
    detail = f"{source.title} ({source.date}), {source.url}"
    return Value(number, Origin(OriginKind.HARDWARE, detail))


def _slice(target: Slice, named: Origin) -> Iterator[tuple[str, Value]]:
    derived = Origin(OriginKind.DERIVED, f"hardware/{target.chip.name}.toml", named.location)
    numbers = {
        "hw.chips": target.chips,
        "hw.devices": target.devices,
        "hw.cores": target.cores,
        "hw.hosts": target.hosts,
        "hw.slices": target.slices,
        "hw.chips_per_slice": target.chips_per_slice,
        "hw.devices_per_slice": target.devices_per_slice,
        "hw.chips_per_host": target.chips_per_host,
        "hw.devices_per_host": target.devices_per_host,
    }
    for name, number in numbers.items():
        yield name, Value(number, derived)
    if target.topology:
        yield "hw.topology", Value(target.topology_text, derived)
    yield "hw.slice_name", Value(target.name, derived)
    yield "hw.name_counts", Value(target.counts, derived)

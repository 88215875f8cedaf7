"""Slice names as people write them, and what the number in each counts."""

import re
from dataclasses import dataclass
from functools import cache

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.hardware.chips import Chip, all_chips, find_chip, normalise, unknown_chip
from tpuguru.hardware.slices import Slice, slice_for_chips, slice_from_topology
from tpuguru.hardware.topologies import nearest_sizes, shapes_of

_LONGEST_NAME = 100
_LONGEST_TEXT = 10_000
# What may follow the chip: «:4x4x4», «-256», or «x16» as in «H20 x 16»; tried in this order.
_TAILS = (
    r"[:@,-]?(?P<tail>\d{1,9}x\d{1,9}(?:x\d{1,9})?)",
    r"[:@,-]?(?P<tail>\d{1,18})",
    r"[x×*](?P<tail>\d{1,18})",
)


@dataclass(frozen=True, slots=True)
class _Written:
    """The parts of a name: «2x» «v6e» «-» «256». ``tail`` is a size, a shape, or empty."""

    text: str
    multiplier: int
    chip: Chip
    prefix: str
    tail: tuple[int, ...]
    location: Location | None


def parse_slice(text: str, *, location: Location | None = None) -> Slice:
    """Return the slice that ``text`` names.

    Understood: ``v6e-256``, ``v5litepod-16``, ``tpu7x-128``, ``v5p-128``, ``tpu7x:4x4x4``, ``tpu7x-4x4x4``,
    ``2xv6e-256``, a GKE label or machine type with a topology (``tpu-v6e-slice:4x4``,
    ``ct6e-standard-4t:4x4``), a machine type alone, ``8xH100``, ``H100:8``. UsageError, with the
    nearest valid ones, for anything else.
    """
    written = _split(text, location)
    if written.chip.kind == "gpu":
        return _gpus(written)
    if not written.tail:
        return _single_machine(written)
    if len(written.tail) > 1:
        machine_chips = written.chip.machine_types.get(written.prefix, 0)
        return slice_from_topology(
            written.chip,
            written.tail,
            slices=written.multiplier,
            machine_chips=machine_chips,
            text=written.text,
            location=location,
        )
    return _of_size(written, written.tail[0])


def _split(text: str, location: Location | None) -> _Written:
    shown = text.strip()
    if not shown or len(shown) > _LONGEST_NAME:
        raise UsageError("a slice name such as v6e-256 or tpu7x:4x4x4 is needed here", location=location)
    name, multiplier = normalise(shown).removesuffix("-head"), 1
    leading = re.match(r"(\d{1,6})[x*×](?=\D)", name)
    if leading and find_chip(name) is None:
        multiplier, name = int(leading[1]), name[leading.end() :]
    if multiplier == 0:
        raise UsageError(f"{shown!r} names no slice at all", location=location)
    whole = find_chip(name)
    if whole is not None:
        return _Written(shown, multiplier, whole, name, (), location)
    for tail_pattern in _TAILS:
        parts = re.fullmatch(rf"(?P<prefix>.+?){tail_pattern}", name)
        chip = find_chip(parts["prefix"]) if parts else None
        if parts and chip:
            tail = tuple(int(size) for size in parts["tail"].split("x"))
            return _Written(shown, multiplier, chip, parts["prefix"], tail, location)
    raise unknown_chip(shown, location)


def _gpus(written: _Written) -> Slice:
    size = written.chip.machine_types.get(written.prefix, 1)
    for factor in written.tail:
        size *= factor
    gpus = size * written.multiplier
    if gpus == 0:
        raise UsageError(f"{written.text!r} names no GPU at all", location=written.location)
    return slice_for_chips(written.chip, gpus, text=written.text, location=written.location)


def _single_machine(written: _Written) -> Slice:
    chips = written.chip.machine_types.get(written.prefix)
    if chips is None:
        example = slice_for_chips(written.chip, written.chip.chips_per_host)
        raise UsageError(
            f"{written.text} is a chip, not a slice of some size",
            location=written.location,
            help=f"say how many, e.g. {example.name} or {example.libtpu_topology}",
        )
    shape = shapes_of(written.chip, chips)[0]
    return slice_from_topology(
        written.chip,
        shape,
        slices=written.multiplier,
        machine_chips=chips,
        text=written.text,
        counts="chips",
        location=written.location,
    )


def _of_size(written: _Written, number: int) -> Slice:
    chip = written.chip
    counts = chip.names.get(written.prefix, next(iter(chip.names.values())))
    per_chip = {"chips": 1, "cores": chip.tensor_cores_per_chip, "devices": chip.devices_per_chip}[counts]
    if number == 0 or number % per_chip:
        raise UsageError(
            f"{written.text}: the number counts {counts}, of which a {chip.title} chip has {per_chip}",
            location=written.location,
            help=f"nearest: {' or '.join(near.name for near in _nearest(chip, number // per_chip))}",
        )
    return slice_for_chips(
        chip,
        number // per_chip,
        slices=written.multiplier,
        text=written.text,
        counts=counts,
        location=written.location,
    )


def _nearest(chip: Chip, chips: int) -> list[Slice]:
    return [slice_for_chips(chip, size) for size in nearest_sizes(chip, chips)]


def slices_in(text: str) -> tuple[Slice, ...]:
    """Return the TPU slices that a question or other text names, each once, in its order."""
    found: dict[str, Slice] = {}
    for match in _tpu_slice_name().finditer(text[:_LONGEST_TEXT].lower()):
        try:
            named = parse_slice(match.group())
        except UsageError:
            continue  # a question may well name a slice that there is not
        found.setdefault(named.name, named)
    return tuple(found.values())


@cache
def _tpu_slice_name() -> re.Pattern[str]:
    """Match a chip with a size or a shape: a chip alone («v6e») names no slice."""
    chips = sorted(
        (re.escape(name) for chip in all_chips() if chip.kind == "tpu" for name in chip.names), key=len
    )
    return re.compile(
        rf"(?<![\w.-])(?:\d{{1,6}}x)?(?:{'|'.join(reversed(chips))})[:-]\d{{1,9}}(?:x\d{{1,9}}){{0,2}}(?![\w]|[.-]\d)",
        re.ASCII,  # a Chinese character may stand beside a name
    )

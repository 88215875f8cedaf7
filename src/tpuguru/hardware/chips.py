"""Chips by any name people use for them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Level, Source

type Counts = Literal["chips", "cores", "devices"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its source. The unit is that of the figure's name; see hardware/README.md."""

    value: float
    source: Source
    level: Level
    note: str = ""


@dataclass(frozen=True, slots=True)
class Topologies:
    """Which slice shapes exist, smallest dimension first, and how their chips are spread over hosts.

    ``dimensions`` is 0 for GPUs, whose hosts are joined by a network and have no torus. Beyond ``valid``,
    every A<=B<=C of multiples of ``multiple_of`` exists, up to ``most_chips`` and no dimension above
    ``longest``; 0 means that there are no others. From ``wraps_at`` chips on a dimension closes to a ring.
    """

    dimensions: int
    chips_per_host: int
    valid: tuple[tuple[int, ...], ...] = ()
    single_host_chips: tuple[int, ...] = ()
    multiple_of: int = 0
    most_chips: int = 0
    longest: int = 0
    wraps_at: int = 0


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip as its data file under hardware/ describes it.

    ``names`` maps a prefix of slice names («v5litepod») to what the number after it counts;
    ``machine_types`` maps a cloud machine type to its chips. Figures that nobody published are absent from
    ``figures``.
    """

    name: str
    title: str
    vendor: str
    kind: Literal["tpu", "gpu"]
    topologies: Topologies
    figures: Mapping[str, Figure]
    names: Mapping[str, Counts]
    machine_types: Mapping[str, int]
    aliases: tuple[str, ...] = ()
    device_kind: str = ""
    libtpu_name: str = ""
    chip_config_name: str = "default"
    maxtext_prefix: str = ""
    gke_label: str = ""
    compute_capability: str = ""

    def __hash__(self) -> int:
        return hash(self.name)

    def figure(self, name: str) -> float | None:
        """Return the value of a figure, or None when nobody published it."""
        found = self.figures.get(name)
        return found.value if found else None

    def count(self, name: str) -> int:
        """Return a figure that counts things of a chip, 0 when it is not stated."""
        return int(self.figure(name) or 0)

    @property
    def devices_per_chip(self) -> int:
        """Devices that a framework sees on one chip."""
        return self.count("devices_per_chip")

    @property
    def tensor_cores_per_chip(self) -> int:
        """TensorCores of one TPU chip; 0 for a GPU: nobody counts its tensor cores."""
        return self.count("tensor_cores_per_chip")

    @property
    def sparse_cores_per_chip(self) -> int:
        """SparseCores of one TPU chip."""
        return self.count("sparse_cores_per_chip")

    @property
    def hbm_per_device(self) -> int:
        """Bytes of device memory that the compiler or driver lets a program use."""
        return self.count("hbm_per_device")

    @property
    def hbm_per_chip(self) -> int:
        """Bytes of device memory of a whole chip."""
        return self.hbm_per_device * self.devices_per_chip

    @property
    def chips_per_host(self) -> int:
        """Chips of one machine of a slice with several machines."""
        return self.topologies.chips_per_host

    @property
    def peak_flops(self) -> dict[str, float]:
        """Dense peak of a chip in FLOP/s by dtype («bf16»)."""
        prefix = "peak_flops_"
        return {
            name.removeprefix(prefix): figure.value
            for name, figure in self.figures.items()
            if name.startswith(prefix)
        }

    def peak_flops_per_device(self, dtype: str) -> float | None:
        """Return the dense peak of a device in FLOP/s, or None when it is not published for ``dtype``."""
        return self._per_device(f"peak_flops_{dtype}")

    @property
    def hbm_bandwidth_per_device(self) -> float | None:
        """Bytes per second between a device and its memory."""
        return self._per_device("hbm_bandwidth")

    def _per_device(self, name: str) -> float | None:
        whole = self.figure(name)
        return None if whole is None else whole / self.devices_per_chip

    def every_name(self) -> tuple[str, ...]:
        """Return every name this chip goes by."""
        spellings = (self.name, *self.names, *self.aliases, self.device_kind, self.gke_label)
        return tuple(spelling for spelling in (*spellings, *self.machine_types) if spelling)


def normalise(name: str) -> str:
    """Return ``name`` in the form in which names are compared: lower case, without blanks, ``_`` as ``-``."""
    return "".join(name.lower().replace("_", "-").split())


@cache
def all_chips() -> tuple[Chip, ...]:
    """Return every chip with a data file, TPUs first, each kind by name."""
    from tpuguru.hardware.data import read_all_chips  # noqa: PLC0415 - a name alone needs no data

    return tuple(sorted(read_all_chips(), key=lambda chip: (chip.kind != "tpu", chip.name)))


@cache
def _by_name() -> dict[str, Chip]:
    return {normalise(name): chip for chip in all_chips() for name in chip.every_name()}


def find_chip(name: str) -> Chip | None:
    """Return the chip that goes by ``name`` in any spelling («trillium», «TPU v6 lite»)."""
    return _by_file(normalise(name)) or _by_name().get(normalise(name))


@cache
def _by_file(name: str) -> Chip | None:
    """Return the chip of a data file's own name: reading one file takes a twentieth of reading all."""
    from tpuguru.hardware.data import read_named_chip  # noqa: PLC0415

    return read_named_chip(name) if re.fullmatch(r"[a-z0-9-]+", name) else None


def chip(name: str, *, location: Location | None = None) -> Chip:
    """Return the chip that goes by ``name``; UsageError, with the nearest names, when there is none."""
    found = find_chip(name)
    if found is None:
        raise unknown_chip(name, location)
    return found


def unknown_chip(name: str, location: Location | None) -> UsageError:
    """Return the error for a chip that has no data file, with the nearest names."""
    written = normalise(name)
    chip_part = re.split(r"[:@,]|-(?=\d+(?:x\d+)*$)", re.sub(r"^\d+[x*×]", "", written))[0]
    near = did_you_mean(written, _by_name()) or did_you_mean(chip_part, _by_name())
    known = ", ".join(known.name for known in all_chips())
    help_text = f"did you mean {' or '.join(near)}?" if near else f"known chips: {known}"
    return UsageError(f"no chip is called {name!r}", location=location, help=help_text)

"""A slice: some chips of one kind in one or more tori (or GPU hosts), and how many of each thing that is."""

from dataclasses import dataclass
from math import prod

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.hardware.chips import Chip
from tpuguru.hardware.topologies import Shape, is_valid, nearest_shapes, nearest_sizes, shape_text, shapes_of


@dataclass(frozen=True, slots=True)
class Slice:
    """``slices`` equal slices of one kind of chip.

    ``topology`` is the shape of one slice in chips, empty for GPUs, of which ``gpus`` counts all.
    ``machine_chips`` is the chips of one machine. ``counts`` says what the number in ``text`` counted: chips,
    cores, devices, or «topology» when a shape was written.
    """

    text: str
    chip: Chip
    slices: int
    topology: Shape
    machine_chips: int
    counts: str
    gpus: int = 0

    @property
    def chips_per_slice(self) -> int:
        """Chips of one slice (of the whole job for GPUs)."""
        return prod(self.topology) if self.topology else self.gpus

    @property
    def chips(self) -> int:
        """Chips over all slices."""
        return self.chips_per_slice * self.slices

    @property
    def devices_per_slice(self) -> int:
        """Devices of one slice, as a framework counts them."""
        return self.chips_per_slice * self.chip.devices_per_chip

    @property
    def devices(self) -> int:
        """Devices over all slices, as a framework counts them."""
        return self.devices_per_slice * self.slices

    @property
    def cores(self) -> int:
        """TensorCores over all slices; 0 for GPUs."""
        return self.chips * self.chip.tensor_cores_per_chip

    @property
    def hosts_per_slice(self) -> int:
        """Machines of one slice."""
        return -(-self.chips_per_slice // self.machine_chips)

    @property
    def hosts(self) -> int:
        """Machines over all slices."""
        return self.hosts_per_slice * self.slices

    @property
    def chips_per_host(self) -> int:
        """Chips of one machine."""
        return self.machine_chips

    @property
    def devices_per_host(self) -> int:
        """Devices of one machine."""
        return self.machine_chips * self.chip.devices_per_chip

    @property
    def topology_text(self) -> str:
        """The shape as people write it («4x4x4»); empty for GPUs."""
        return shape_text(self.topology)

    @property
    def name(self) -> str:
        """The name clouds use («2xv6e-256», «8xh100»); with the shape when a size alone means another."""
        if self.chip.kind == "gpu":
            return f"{self.chips}x{self.chip.name}"
        prefix = next(iter(self.chip.names))
        usual = shapes_of(self.chip, self.chips_per_slice)[0] == self.topology
        base = f"{prefix}-{self._counted(prefix)}" if usual else f"{self.chip.name}:{self.topology_text}"
        return base if self.slices == 1 else f"{self.slices}x{base}"

    @property
    def maxtext_name(self) -> str:
        """The ``compile_topology`` of one slice; empty where the size means another shape, and for GPUs."""
        prefix = self.chip.maxtext_prefix
        if not prefix or shapes_of(self.chip, self.chips_per_slice)[0] != self.topology:
            return ""
        return f"{prefix}-{self._counted(prefix)}"

    def _counted(self, prefix: str) -> int:
        per_chip = {
            "chips": 1,
            "cores": self.chip.tensor_cores_per_chip,
            "devices": self.chip.devices_per_chip,
        }
        return self.chips_per_slice * per_chip[self.chip.names[prefix]]

    @property
    def wrap(self) -> tuple[bool, bool, bool]:
        """Which of the three dimensions close to a ring (links from the last chip to the first)."""
        wraps_at = self.chip.topologies.wraps_at
        rings = [bool(wraps_at) and size >= wraps_at for size in self.topology]
        if self.chip.topologies.dimensions == 3 and not all(rings):
            rings = []  # below a full cube of 4x4x4 no link closes
        return (*rings, False, False, False)[:3]  # type: ignore[return-value]

    @property
    def libtpu_topology(self) -> str:
        """The topology name for ``get_topology_desc``: «tpu7x:4x4x4»; empty for GPUs."""
        return f"{self.chip.libtpu_name}:{self.topology_text}" if self.topology else ""

    @property
    def host_bounds(self) -> tuple[int, int, int]:
        """The block of chips that one machine holds, in the three dimensions."""
        return {1: (1, 1, 1), 4: (2, 2, 1), 8: (2, 4, 1)}[self.machine_chips]

    def topology_arguments(self) -> dict[str, object]:
        """Return the keyword arguments of ``jax.experimental.topologies.get_topology_desc``, ready for JSON.

        UsageError for GPUs, which have no topology that libtpu knows.
        """
        if not self.topology:
            raise UsageError(f"{self.name} is not a TPU slice: libtpu has no topology for it")
        return {
            "platform": "tpu",
            "topology_name": self.libtpu_topology,
            "chip_config_name": self.chip.chip_config_name,
            "chips_per_host_bounds": list(self.host_bounds),
            "num_slices": self.slices,
            "wrap": list(self.wrap),
        }


def slice_from_topology(
    chip: Chip,
    shape: Shape,
    *,
    slices: int = 1,
    machine_chips: int = 0,
    text: str = "",
    counts: str = "topology",
    location: Location | None = None,
) -> Slice:
    """Return the slice of that shape. UsageError for an impossible one, naming the nearest valid ones.

    ``machine_chips`` is the chips of the machine type, 0 to use the usual one for the size.
    """
    written = text or f"{chip.name}:{shape_text(shape)}"
    if not is_valid(chip, shape):
        nearest = " or ".join(shape_text(near) for near in nearest_shapes(chip, shape))
        raise UsageError(
            f"{shape_text(shape)} is not a topology of {chip.title}",
            location=location,
            help=f"nearest: {nearest}",
        )
    machine = _machine_chips(chip, prod(shape), machine_chips, written, location)
    return Slice(written, chip, slices, shape, machine, counts)


def _machine_chips(chip: Chip, chips: int, wanted: int, text: str, location: Location | None) -> int:
    topologies = chip.topologies
    usual = chips if chips in topologies.single_host_chips else topologies.chips_per_host
    if not wanted or wanted == usual:
        return usual
    if wanted == topologies.chips_per_host and chips % wanted == 0:
        return wanted
    raise UsageError(
        f"{text}: a machine of {wanted} chips cannot make up a slice of {chips} chips",
        location=location,
        help=f"use machines of {usual} chips",
    )


def slice_for_chips(
    chip: Chip,
    chips: int,
    *,
    slices: int = 1,
    text: str = "",
    counts: str = "chips",
    location: Location | None = None,
) -> Slice:
    """Return the slice that a size in chips means. UsageError, with the nearest sizes, if there is none."""
    written = text or f"{chip.name} of {chips} chips"
    if chip.kind == "gpu":
        return Slice(written, chip, slices, (), min(chip.chips_per_host, chips), counts, gpus=chips)
    shapes = shapes_of(chip, chips)
    if not shapes:
        nearest = [slice_for_chips(chip, size).name for size in nearest_sizes(chip, chips)]
        raise UsageError(
            f"{written}: there is no {chip.title} slice of {chips} chips",
            location=location,
            help=f"nearest: {' or '.join(nearest)}",
        )
    return slice_from_topology(chip, shapes[0], slices=slices, text=text, counts=counts, location=location)

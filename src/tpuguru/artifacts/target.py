"""Which chip, how many partitions, which device runs which partition."""

import re
from dataclasses import dataclass
from pathlib import Path

from tpuguru.artifacts.model import Target

# (version, variant) → chip, as libtpu 0.0.52 writes them into target_arguments.txt for each topology.
_CHIPS = {
    ("TPU_VERSION_PUFFERFISH", ""): "v4",
    ("TPU_VERSION_VIPERFISH", "lite"): "v5e",
    ("TPU_VERSION_VIPERFISH", ""): "v5p",
    ("TPU_VERSION_GHOSTLITE", ""): "v6e",
    ("TPU_VERSION_6acc60406", ""): "tpu7x",
}
_SLICE_STRIDE = 100_000  # libtpu numbers the devices of slice n from n × 100000 when there are several slices
_LARGEST = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Execution:
    """How the program is spread: partitions, replicas, and the device of each partition in order."""

    partitions: int | None = None
    replicas: int | None = None
    devices: tuple[int, ...] = ()


def read_execution(path: Path | None) -> Execution:
    """Read execution_options.txt; every field that is not there stays unknown."""
    if path is None:
        return Execution()
    text = _head(path)
    partitions, replicas = re.search(r"num_partitions: (\d+)", text), re.search(r"num_replicas: (\d+)", text)
    return Execution(
        int(partitions[1]) if partitions else None,
        int(replicas[1]) if replicas else None,
        tuple(map(int, re.findall(r"replica_device_ids: (\d+)", text))),
    )


def read_target(path: Path | None, devices: tuple[int, ...]) -> Target:
    """Read target_arguments.txt; an unknown version keeps its name and leaves the chip empty."""
    text = _head(path) if path else ""
    version = re.search(r"\bversion: (\S+)", text)
    variant = re.search(r'\bvariant: "([^"]*)"', text)
    name = version[1] if version else ""
    chip = _CHIPS.get((name, variant[1] if variant else ""), "")
    return Target(name, chip, devices)


MOST_PARTITIONS = 2**20  # no pod has so many devices; a larger figure is damage in the text


def slices_of(devices: tuple[int, ...], partitions: int | None, slices: int) -> list[int]:
    """Return the slice of each partition; without device ids, slices are equal consecutive blocks."""
    if devices and max(devices) >= _SLICE_STRIDE:
        return [device // _SLICE_STRIDE for device in devices]
    if not partitions or partitions > MOST_PARTITIONS:
        return []
    size = max(1, partitions // max(1, slices))
    return [partition // size for partition in range(partitions)]


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_LARGEST).decode("utf-8", "replace")

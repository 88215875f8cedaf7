"""libtpu's own word on every chip and slice shape. Runs in the MaxText toolchain, which has JAX and libtpu."""

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.toolchain import toolchain_python

from tpuguru.hardware.chips import Chip, all_chips
from tpuguru.hardware.names import parse_slice
from tpuguru.hardware.slices import Slice, slice_from_topology

pytestmark = pytest.mark.toolchain

TPUS = [known for known in all_chips() if known.kind == "tpu"]
LARGER = [
    "v5p:4x4x4",
    "v5p:4x4x20",
    "v4:4x4x8",
    "tpu7x:4x8x8",
    "2xtpu7x-128",
    "2xv6e-16",
    "ct6e-standard-4t:2x4",
]


@dataclass(frozen=True)
class Seen:
    """What libtpu says of one slice."""

    devices: int
    chips: int
    hosts: int
    device_kind: str
    cores_per_device: int
    memory: int


def ask(requests: list[dict[str, object]]) -> list[dict[str, object]]:
    """Ask libtpu about all slices in one process: starting it costs more than the questions."""
    worker = Path(__file__).with_name("libtpu_topologies.py")
    done = subprocess.run(
        [toolchain_python(), worker],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def small_slices() -> list[Slice]:
    """Every shape that a data file lists, and some of the larger ones."""
    listed = [slice_from_topology(known, shape) for known in TPUS for shape in known.topologies.valid]
    return [*listed, *map(parse_slice, LARGER)]


@pytest.fixture(scope="module")
def seen() -> dict[Slice, Seen]:
    """libtpu's answer for each slice."""
    slices = small_slices()
    answers = ask([named.topology_arguments() for named in slices])
    return {named: Seen(**answer) for named, answer in zip(slices, answers, strict=True)}  # type: ignore[arg-type]


@pytest.mark.parametrize("named", small_slices(), ids=lambda named: f"{named.text}-{named.machine_chips}")
def test_libtpu_counts_the_same(named: Slice, seen: dict[Slice, Seen]) -> None:
    """Devices, chips, hosts and the device's name are libtpu's."""
    said = seen[named]
    chip = named.chip
    assert replace(said, memory=0) == Seen(
        devices=named.devices,
        chips=named.chips,
        hosts=named.hosts,
        device_kind=chip.device_kind,
        cores_per_device=chip.tensor_cores_per_chip // chip.devices_per_chip,
        memory=0,
    )


@pytest.mark.parametrize("known", TPUS, ids=lambda known: known.name)
def test_libtpu_states_the_same_memory(known: Chip, seen: dict[Slice, Seen]) -> None:
    """The data file has the figure of one host; libtpu keeps some 512 bytes back for each further chip."""
    said = {named: answer.memory for named, answer in seen.items() if named.chip is known}
    one_host = next(memory for named, memory in said.items() if named.chips == known.chips_per_host)
    assert known.hbm_per_device == one_host
    assert all(known.hbm_per_device - memory < 2**20 for memory in said.values())


@pytest.mark.parametrize("known", TPUS, ids=lambda known: known.name)
def test_maxtext_means_the_same_slices(known: Chip) -> None:
    """Each ``compile_topology`` of MaxText's table has our shape, device count, rings and name."""
    for row in maxtext_table():
        if not str(row["name"]).startswith(f"{known.maxtext_prefix}-"):
            continue
        named = parse_slice(str(row["name"]))
        ours = (named.libtpu_topology, named.devices, list(named.wrap), named.maxtext_name)
        assert ours == (row["topology"], row["devices"], row["wrap"], row["name"])


def maxtext_table() -> list[dict[str, object]]:
    """MaxText's own table of slices, read by its own interpreter."""
    script = (
        "import json\n"
        "from maxtext.utils.accelerator_to_spec_map import UserFacingNameToSystemCharacteristics as table\n"
        "print(json.dumps([dict(name=n, topology=c.topology_name, devices=c.devices_per_slice, wrap=c.wrap)"
        " for n, c in table.items() if c.platform == 'tpu']))"
    )
    done = subprocess.run(
        [toolchain_python(), "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    table: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    assert len(table) > 150, sys.stderr.write(done.stderr)
    return table

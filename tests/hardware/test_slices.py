"""What slice names mean: through parse_slice, the door that every reader uses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.hardware.chips import Chip, all_chips, chip
from tpuguru.hardware.names import parse_slice
from tpuguru.hardware.slices import Slice
from tpuguru.hardware.topologies import is_valid, nearest_sizes, shapes_of

# name, chips, devices, TensorCores, hosts, topology
NAMES = [
    ("v6e-256", 256, 256, 256, 64, "16x16"),
    ("v6e-1", 1, 1, 1, 1, "1x1"),
    ("v6e-8", 8, 8, 8, 1, "2x4"),
    ("ct6e-standard-4t:2x4", 8, 8, 8, 2, "2x4"),
    ("ct6e-standard-8t", 8, 8, 8, 1, "2x4"),
    ("v5litepod-16", 16, 16, 16, 4, "4x4"),
    ("v5e-16", 16, 16, 16, 4, "4x4"),
    ("tpu-v5-lite-podslice:4x8", 32, 32, 32, 8, "4x8"),
    ("v4-8", 4, 4, 8, 1, "2x2x1"),
    ("v4-384", 192, 192, 384, 48, "4x4x12"),
    ("v5p-128", 64, 64, 128, 16, "4x4x4"),
    ("v5p-768", 384, 384, 768, 96, "4x8x12"),
    ("tpu7x-128", 64, 128, 128, 16, "4x4x4"),
    ("tpu7x-2", 1, 2, 2, 1, "1x1x1"),
    ("tpu7x:4x4x4", 64, 128, 128, 16, "4x4x4"),
    ("tpu7x-4x4x4", 64, 128, 128, 16, "4x4x4"),
    ("TPU-v6e-16-head", 16, 16, 16, 4, "4x4"),
    ("Trillium 4x4", 16, 16, 16, 4, "4x4"),
    ("2xv6e-256", 512, 512, 512, 128, "16x16"),
    ("2 x v5p-8", 8, 8, 16, 2, "2x2x1"),
    ("8xH100", 8, 8, 0, 1, ""),
    ("H20 96GB x 16", 16, 16, 0, 2, ""),
    ("h100:8", 8, 8, 0, 1, ""),
    ("2xa3-highgpu-8g", 16, 16, 0, 2, ""),
]


@pytest.mark.parametrize(("text", "chips", "devices", "cores", "hosts", "topology"), NAMES)
def test_a_name_means_that_many_chips_devices_cores_and_hosts(
    text: str, chips: int, devices: int, cores: int, hosts: int, topology: str
) -> None:
    """Chips are not devices are not cores: each name is counted in its own unit."""
    named = parse_slice(text)
    counted = (named.chips, named.devices, named.cores, named.hosts, named.topology_text)
    assert counted == (chips, devices, cores, hosts, topology)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v6e:3x3", "nearest: 2x4 or 4x4"),
        ("tpu7x:4x2x2", "nearest: 2x2x4"),
        ("v6e-48", "nearest: v6e-32 or v6e-64"),
        ("v6e-512", "nearest: v6e-256"),
        ("tpu7x-3", "nearest: tpu7x-2 or tpu7x-8"),
        ("v5p-8576", "nearest: v5p-8448 or v5p-8704"),
        ("ct6e-standard-8t:4x4", "use machines of 4 chips"),
        ("v6f-16", "did you mean v6e"),
        ("v6e", "say how many"),
    ],
)
def test_an_impossible_slice_names_the_nearest_ones(text: str, said: str) -> None:
    """The user learns what would have been right, and where they wrote it."""
    place = Location("run.sh", 3, 7)
    with pytest.raises(UsageError) as caught:
        parse_slice(text, location=place)
    assert said in (caught.value.help or "")
    assert caught.value.location == place


@given(
    st.text(max_size=40)
    | st.from_regex(r"[0-9]{0,3}x?(v6e|tpu7x|h20|v5p)[-:x ]?[0-9x]{0,12}", fullmatch=True)
)
def test_any_text_is_a_slice_or_a_usage_error(text: str) -> None:
    """Whatever is pasted, there is a slice with something in it, or one clear sentence."""
    try:
        named = parse_slice(text)
    except UsageError:
        return
    assert named.devices >= named.chips >= named.hosts >= 1


TPUS = [known for known in all_chips() if known.kind == "tpu"]


@given(st.sampled_from(TPUS), st.integers(1, 10_000))
def test_nearest_sizes_exist_and_lie_around_the_wanted_one(known: Chip, chips: int) -> None:
    """A suggestion that is itself impossible would be worse than none."""
    sizes = nearest_sizes(known, chips)
    assert sizes
    assert all(shapes_of(known, size) for size in sizes)
    assert min(sizes) <= chips or len(sizes) == 1


@given(st.sampled_from(TPUS), st.integers(1, 9216), st.integers(1, 4))
def test_a_slices_own_names_lead_back_to_it(known: Chip, chips: int, slices: int) -> None:
    """What tpuguru prints can be pasted back: the name, and the shape."""
    for shape in shapes_of(known, chips):
        assert is_valid(known, shape)
        written = f"{slices}x{known.name}:{'x'.join(map(str, shape))}"
        named = parse_slice(written)
        again = parse_slice(named.name)
        assert (again.topology, again.slices, again.devices) == (shape, slices, named.devices)


def test_topology_arguments_are_what_libtpu_takes() -> None:
    """MaxText passes the same ones for v5p-128."""
    assert parse_slice("2xv5p-128").topology_arguments() == {
        "platform": "tpu",
        "topology_name": "v5:4x4x4",
        "chip_config_name": "megacore",
        "chips_per_host_bounds": [2, 2, 1],
        "num_slices": 2,
        "wrap": [True, True, True],
    }
    with pytest.raises(UsageError, match="not a TPU slice"):
        parse_slice("8xh100").topology_arguments()


def test_a_multi_chip_peak_is_divided_by_the_devices() -> None:
    """A tpu7x device has half of the chip's peak and half of its memory."""
    tpu7x = chip("ironwood")
    assert tpu7x.peak_flops["bf16"] == 2307e12
    assert tpu7x.peak_flops_per_device("bf16") == 1153.5e12
    assert tpu7x.hbm_per_chip == 2 * tpu7x.hbm_per_device
    assert tpu7x.peak_flops_per_device("int4") is None


def test_a_slice_is_hashable_and_comparable() -> None:
    """Slices are keys of run identifiers and caches."""
    assert {parse_slice("v6e-16"), parse_slice("v6e-16")} == {parse_slice("v6e-16")}
    assert isinstance(parse_slice("v6e-16"), Slice)

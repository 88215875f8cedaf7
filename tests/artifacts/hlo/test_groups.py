"""Device groups: five spellings of the same groups, and their mesh axes."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.artifacts.hlo.groups import DeviceGroups, axes_of, mesh_written_in, network_of, parse_groups
from tpuguru.artifacts.request import MeshAxis

MESH = (MeshAxis("data", 1), MeshAxis("fsdp", 2), MeshAxis("tensor", 1), MeshAxis("expert", 2))

# The same groups over expert (the minor axis) and over fsdp (the major one).
OVER_EXPERT = [
    "mesh['data'=1,'fsdp'=2,'tensor'=1,'expert'=2] {'expert'}, dimensions={0}",
    "mesh['axis_0'=2,'axis_1'=2] {'axis_1'}, use_global_device_ids=true",
    "[2,2]<=[4], dimensions={1}",
    "{{0,1},{2,3}}, use_global_device_ids=true",
]
OVER_FSDP = [
    "mesh['data'=1,'fsdp'=2,'tensor'=1,'expert'=2] {'fsdp'}, dimensions={0}",
    "mesh['axis_0'=2,'axis_1'=2] {'axis_0'}",
    "[2,2]<=[2,2]T(1,0), dimensions={1}",
    "{{0,2},{1,3}}",
]


@pytest.mark.parametrize("text", OVER_EXPERT)
def test_minor_axis_in_every_spelling(text: str) -> None:
    """Each spelling of groups over the minor axis means the same devices and the same axis."""
    groups = parse_groups(text, 4)
    assert groups.groups == ((0, 1), (2, 3))
    assert axes_of(groups, MESH) == ("expert",)


@pytest.mark.parametrize("text", OVER_FSDP)
def test_major_axis_in_every_spelling(text: str) -> None:
    """Each spelling of groups over the major axis means the same devices and the same axis."""
    groups = parse_groups(text, 4)
    assert sorted(map(sorted, groups.groups)) == [[0, 2], [1, 3]]
    assert axes_of(groups, MESH) == ("fsdp",)


def test_fused_anonymous_axis() -> None:
    """One anonymous axis that stands for two real ones is mapped to both."""
    assert axes_of(parse_groups("mesh['axis_0'=4] {'axis_0'}", 4), MESH) == ("fsdp", "expert")


def test_no_groups_means_everybody() -> None:
    """An absent or empty list is one group of all partitions."""
    assert parse_groups("{}, dimensions={0}", 4).groups == ((0, 1, 2, 3),)
    assert parse_groups("", 4).groups == ((0, 1, 2, 3),)


def test_part_of_an_axis_is_said_to_be_a_part() -> None:
    """Groups that hold only some members of an axis are not called the whole axis."""
    mesh = (MeshAxis("fsdp", 4), MeshAxis("tensor", 2))
    assert axes_of(parse_groups("{{0,2},{4,6},{1,3},{5,7}}", 8), mesh) == ("fsdp (part)",)


def test_ids_outside_the_mesh_stay_unknown() -> None:
    """A mesh that is too small for the ids explains nothing."""
    assert axes_of(parse_groups("{{0,9}}", 10), MESH) == ()


def test_named_mesh_in_the_program_gives_the_axes() -> None:
    """The mesh is taken from the first collective that spells it with real names."""
    texts = ["replica_groups=mesh['axis_0'=4] {'axis_0'}", "replica_groups=" + OVER_EXPERT[0]]
    assert mesh_written_in(texts) == MESH


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("{{0,1},{2,3}}", "ici"),
        ("{{0,2},{1,3}}", "dcn"),
        ("{{0,1,2,3}}", "mixed"),
        ("{{0,1},{2,7}}", "unknown"),
    ],
)
def test_network_follows_the_slices_of_the_members(text: str, network: str) -> None:
    """Members on one slice use ICI, one member a slice DCN, and groups that do both are mixed."""
    assert network_of(parse_groups(text, 4), [0, 0, 1, 1]) == network


@st.composite
def meshes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw axis sizes and a non-empty choice of axes."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    chosen = draw(st.lists(st.sampled_from(range(len(sizes))), min_size=1, unique=True))
    return sizes, sorted(chosen)


@given(meshes())
def test_iota_and_mesh_spellings_agree(drawn: tuple[list[int], list[int]]) -> None:
    """For any mesh and any axes, the iota and mesh spellings give the same groups, and the axes come back."""
    sizes, chosen = drawn
    others = [axis for axis in range(len(sizes)) if axis not in chosen]
    size = prod(sizes[axis] for axis in chosen)
    total = prod(sizes)
    permutation = ",".join(map(str, others + chosen))
    iota = f"[{total // size},{size}]<=[{','.join(map(str, sizes))}]T({permutation})"
    named = ",".join(f"'m{axis}'={sizes[axis]}" for axis in range(len(sizes)))
    mesh = f"mesh[{named}] {{{','.join(f"'m{axis}'" for axis in chosen)}}}"
    listed = parse_groups(iota, total)
    assert listed.groups == parse_groups(mesh, total).groups
    axes = tuple(MeshAxis(f"m{axis}", sizes[axis]) for axis in range(len(sizes)))
    assert axes_of(DeviceGroups("list", listed.groups), axes) == tuple(f"m{axis}" for axis in chosen)


@given(st.text(alphabet="mesh['axis_01'=2,]{}<=T()[]0123456789: ", max_size=80), st.integers(0, 64))
def test_any_text_is_survived(text: str, partitions: int) -> None:
    """No text in place of replica groups makes the reader raise."""
    axes_of(parse_groups(text, partitions), MESH)

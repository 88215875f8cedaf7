"""Mesh arithmetic: filling -1, products, axes that are not there."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st
from tests.frameworks.maxtext.launches import launch

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.defaults import defaults
from tpuguru.frameworks.maxtext.mesh import Mesh, mesh_of
from tpuguru.frameworks.maxtext.resolve import static_resolve


def mesh(*words: str, devices: int | Unknown = 8, slices: int = 1) -> Mesh:
    return mesh_of(static_resolve(launch(*words)).values, defaults().meshes, devices, slices)


def test_the_default_puts_every_device_on_fsdp() -> None:
    """base.yml leaves ici_fsdp_parallelism at -1."""
    found = mesh()
    assert found.size("fsdp") == 8
    assert found.ici.matches is True
    assert found.batch_shards == 8


def test_a_product_that_misses_the_slice_is_told() -> None:
    """3 × 2 is not 8."""
    found = mesh("ici_fsdp_parallelism=3", "ici_tensor_parallelism=2")
    assert (found.ici.product, found.ici.matches) == (6, False)


def test_a_rest_that_does_not_divide_cannot_be_filled() -> None:
    """-1 over 3 of 8 devices has no whole answer."""
    found = mesh("ici_tensor_parallelism=3")
    assert isinstance(found.size("fsdp"), Unknown)
    assert found.ici.matches is False


def test_two_unset_axes_are_refused() -> None:
    """At most one axis may be -1."""
    found = mesh("ici_tensor_parallelism=-1")
    assert (found.ici.unset_count, found.ici.matches) == (2, False)


def test_an_axis_that_is_gone_is_dropped_in_silence_by_maxtext_and_named_here() -> None:
    """sequence is no mesh axis any more: fsdp takes all devices."""
    found = mesh("ici_sequence_parallelism=2")
    assert found.dropped == ("ici_sequence_parallelism",)
    assert found.size("fsdp") == 8


def test_pipeline_parallelism_is_the_stage_axis() -> None:
    """The key's name and the axis' name differ."""
    assert mesh("ici_pipeline_parallelism=2").size("stage") == 2


def test_slices_multiply_over_dcn() -> None:
    """Two slices on the data axis by default."""
    found = mesh(slices=2)
    assert (found.size("data"), found.size("fsdp"), found.batch_shards) == (2, 8, 16)


def test_one_slice_ignores_dcn_keys() -> None:
    """MaxText does not look at dcn_* with one slice."""
    assert mesh("dcn_fsdp_parallelism=4").dcn.product == 1


def test_without_a_slice_an_unset_axis_is_unknown() -> None:
    """No devices, no answer; the stated axes are still known."""
    found = mesh("ici_tensor_parallelism=4", devices=Unknown("no slice"))
    assert isinstance(found.size("fsdp"), Unknown)
    assert found.size("tensor") == 4


def test_a_custom_mesh_has_its_own_axes() -> None:
    """custom_mesh_and_rule replaces mesh_axes."""
    found = mesh("custom_mesh_and_rule=pure-fsdp", "ici_tensor_parallelism=2")
    assert found.axes == ("fsdp",)
    assert found.dropped == ("ici_tensor_parallelism",)


@given(
    st.lists(st.sampled_from([1, 2, 3, 4, 8]), min_size=3, max_size=3), st.sampled_from([8, 12, 64, 96, 256])
)
def test_a_filled_mesh_always_multiplies_to_the_slice(sizes: list[int], devices: int) -> None:
    """Whenever -1 can be filled the product is the slice; whenever it cannot, that is said."""
    keys = ("ici_data_parallelism", "ici_tensor_parallelism", "ici_expert_parallelism")
    found = mesh(*(f"{key}={size}" for key, size in zip(keys, sizes, strict=True)), devices=devices)
    divides = devices % prod(sizes) == 0
    assert found.ici.matches is divides
    assert found.ici.product == devices if divides else isinstance(found.ici.product, Unknown)

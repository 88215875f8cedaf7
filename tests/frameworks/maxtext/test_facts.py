"""Facts of MaxText launches: the slice, the mesh, the batch, the paths the settings lead to."""

from dataclasses import replace

import pytest
from tests.frameworks.maxtext.launches import launch, written

from tpuguru.base.errors import UsageError
from tpuguru.facts.factset import Facts
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.facts import derive
from tpuguru.launch.model import Launch

LLAMA_70B_ON_IRONWOOD = (
    "model_name=llama3.1-70b",
    "per_device_batch_size=2",
    "ici_fsdp_parallelism=-1",
    "max_target_length=8192",
    "attention=flash",
    "use_tokamax_splash=True",
    "remat_policy=custom",
    "context=device",
    "query_proj=offload",
)


def facts(*words: str, slice_name: str = "") -> Facts:
    return derive(launch(*words), slice_name=slice_name)


def value(found: Facts, name: str) -> object:
    return found.get(name).value


def test_a_tpu7x_chip_is_two_devices() -> None:
    """tpu7x-128 is 64 chips, and the batch is counted per device."""
    found = facts(*LLAMA_70B_ON_IRONWOOD, slice_name="tpu7x-128")
    assert value(found, "launch.chips") == 64
    assert value(found, "launch.devices") == 128
    assert value(found, "maxtext.mesh.fsdp") == 128
    assert value(found, "maxtext.batch.global_trained") == 256
    assert value(found, "maxtext.batch.tokens_per_step") == 256 * 8192


def test_the_origin_of_a_derived_fact_leads_to_the_setting() -> None:
    """The place of per_device_batch_size is the place of what follows from it."""
    found = facts(*LLAMA_70B_ON_IRONWOOD, slice_name="tpu7x-128")
    origin = found.get("maxtext.batch.global_trained").origin
    assert "maxtext.config.per_device_batch_size" in origin.inputs
    assert str(origin.location) == "run.sh:1:25"


def test_without_a_slice_what_needs_one_is_unknown_and_says_so() -> None:
    """No slice, no devices: unknown, with what would settle it."""
    found = facts("ici_fsdp_parallelism=-1")
    unknown = value(found, "maxtext.mesh.fsdp")
    assert isinstance(unknown, Unknown)
    assert unknown.needs == "--slice NAME"
    assert isinstance(value(found, "maxtext.batch.global_trained"), Unknown)


def test_less_than_one_sequence_a_device_drops_data() -> None:
    """The published 128k recipe loads 512 sequences and trains on 64."""
    found = facts("per_device_batch_size=0.125", "ici_context_parallelism=8", slice_name="tpu7x-512")
    assert value(found, "maxtext.batch.global_loaded") == 512
    assert value(found, "maxtext.batch.global_trained") == 64
    assert value(found, "maxtext.batch.dropped_fraction") == pytest.approx(0.875)
    assert value(found, "maxtext.batch.divides") is True


@pytest.mark.parametrize(
    ("words", "name", "expected"),
    [
        ((), "maxtext.attention.expected", "splash"),
        (("max_target_length=64",), "maxtext.attention.expected", "dot_product"),
        (("attention=dot_product",), "maxtext.attention.expected", "dot_product"),
        (("use_tokamax_splash=True",), "maxtext.splash.kernel", "tokamax"),
        (("use_jax_splash=True",), "maxtext.splash.kernel", "jax"),
        ((), "maxtext.splash.separate_dq", True),
        (("sa_use_fused_bwd_kernel=True",), "maxtext.splash.separate_dq", False),
        ((), "maxtext.moe.path", "dense"),
        (("model_name=mixtral-8x7b",), "maxtext.moe.path", "megablox"),
        (("model_name=mixtral-8x7b", "megablox=False"), "maxtext.moe.path", "ragged_dot"),
        (("model_name=mixtral-8x7b", "use_tokamax_gmm=True"), "maxtext.moe.path", "tokamax"),
        (
            ("model_name=mixtral-8x7b", "sparse_matmul=False", "capacity_factor=1.25"),
            "maxtext.moe.path",
            "capacity",
        ),
        (("model_name=mixtral-8x7b", "sparse_matmul=False"), "maxtext.moe.path", "dense_matmul"),
        (("quantization=int8",), "maxtext.quantization.library", "aqt"),
        (("quantization=int8", "use_qwix_quantization=True"), "maxtext.quantization.effective", True),
        (("quantization=intmp", "use_qwix_quantization=True"), "maxtext.quantization.effective", False),
        (
            ("model_name=mixtral-8x7b", "quantization=fp8", "use_qwix_quantization=True"),
            "maxtext.quantization.covers_experts",
            False,
        ),
        (
            ("model_name=mixtral-8x7b", "quantization=fp8_full", "use_qwix_quantization=True"),
            "maxtext.quantization.covers_experts",
            True,
        ),
        (("decoder_layer_input=offload",), "maxtext.remat.ignored", ("decoder_layer_input",)),
        (("decoder_layer_input=offload", "remat_policy=custom"), "maxtext.remat.ignored", ()),
        (
            ("decoder_layer_input=offload", "remat_policy=custom"),
            "maxtext.remat.offloaded",
            ("decoder_layer_input",),
        ),
        (("weight_dtype=bfloat16",), "maxtext.dtype.moments", "bfloat16"),
        (("dataset_path=gs://bucket",), "maxtext.data.path_ignored", True),
        (("dataset_path=gs://bucket", "dataset_type=tfds"), "maxtext.data.path_ignored", False),
        (("model_name=llama3.1-8b",), "maxtext.model.layers", 32),
        (("global_parameter_scale=8",), "maxtext.model.layers", 32),
        (("global_parameter_scale=2",), "maxtext.model.query_heads", 32),
        (("model_name=llama3.1-8b",), "maxtext.model.known", True),
    ],
)
def test_a_setting_leads_to_a_path(words: tuple[str, ...], name: str, expected: object) -> None:
    """What the settings lead to in MaxText 0.2.5."""
    assert value(facts(*words), name) == expected


def test_every_key_is_a_fact_with_its_value() -> None:
    """Rules may use any key, typed as MaxText types it."""
    found = facts("num_vocab_tiling=8", "packing=false")
    assert value(found, "maxtext.config.num_vocab_tiling") == 8
    assert value(found, "maxtext.config.packing") is False
    assert value(found, "maxtext.config.max_target_length") == 2048
    assert value(found, "maxtext.stated") == ("num_vocab_tiling", "packing")


def scheduled(**target: str) -> Launch:
    settings = tuple(written(key, text) for key, text in target.items())
    return replace(launch("steps=1"), target=settings)


@pytest.mark.parametrize(
    ("target", "devices", "slices"),
    [
        ({"device_type": "v6e-256", "num_slices": "2"}, 512, 2),
        ({"device_type": "tpu7x-128"}, 128, 1),
        ({"gke_tpu_accelerator": "tpu-v6e-slice", "gke_tpu_topology": "4x4"}, 16, 1),
    ],
)
def test_what_schedules_the_launch_names_the_slice(target: dict[str, str], devices: int, slices: int) -> None:
    """xpk's device type and GKE's node selectors are slices too."""
    found = derive(scheduled(**target))
    assert (value(found, "launch.devices"), value(found, "launch.slices")) == (devices, slices)


def test_the_option_wins_over_the_launch() -> None:
    """--slice asks «what if it ran there»."""
    found = derive(scheduled(device_type="v6e-256"), slice_name="v6e-8")
    assert value(found, "launch.devices") == 8


def test_a_slice_that_does_not_exist_is_refused_at_its_place() -> None:
    """An impossible topology is told with where it was written."""
    with pytest.raises(UsageError) as caught:
        derive(scheduled(device_type="v6e-250"))
    assert str(caught.value.location) == "run.sh:1:1"

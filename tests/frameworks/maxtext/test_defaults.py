"""The generated table is the package's own, and static resolving gives what pyconfig gives."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.frameworks.maxtext.launches import launch
from tests.toolchain import toolchain_python

from tpuguru.base.errors import UsageError
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.maxtext.defaults import NEWEST, defaults, versions
from tpuguru.frameworks.maxtext.resolve import static_resolve

ROOT = Path(__file__).resolve().parents[3]

# What depends on the slice, the machine or the time, and what only pyconfig computes.
OF_THE_RUN = frozenset(
    [
        "base_output_directory",
        "checkpoint_dir",
        "compile_topology",
        "compile_topology_num_slices",
        "dcn_parallelism",
        "dump_hlo_gcs_dir",
        "dump_hlo_xla_flags",
        "dump_jaxpr_gcs_dir",
        "global_batch_size_to_eval_on",
        "global_batch_size_to_load",
        "global_batch_size_to_load_eval",
        "global_batch_size_to_train_on",
        "ici_parallelism",
        "managed_mldiagnostics_dir",
        "metrics_dir",
        "micro_batch_size_to_eval_on",
        "micro_batch_size_to_train_on",
        "num_diloco_replicas",
        "num_slices",
        "num_target_devices",
        "pipeline_parallel_layers",
        "quantization_local_shard_count",
        "rampup_end_step",
        "run_name",
        "tensorboard_dir",
        "tokenizer_path",
        "tokenizer_type",
        "using_pipeline_parallelism",
    ]
)


def same(ours: object, theirs: object) -> bool:
    """Null and an empty text are one value: pyconfig turns each into the other here and there."""
    return ours == theirs or (ours in (None, "") and theirs in (None, ""))


def test_the_newest_version_has_a_table() -> None:
    """The default toolchain and the newest table are of one version."""
    assert NEWEST in versions()
    assert defaults().version == NEWEST
    support = compiling("maxtext")
    assert support is not None
    assert support.toolchain == f"maxtext=={NEWEST}"


def test_a_version_without_a_table_says_which_there_are() -> None:
    """The way out is named."""
    with pytest.raises(UsageError) as caught:
        defaults("0.0.1")
    assert NEWEST in str(caught.value.help)


@pytest.mark.toolchain
def test_the_table_equals_the_package() -> None:
    """A new MaxText cannot slip past its table."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/generate_maxtext.py"), str(toolchain_python()), "--check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("words", "slice_name"),
    [
        (("per_device_batch_size=2", "steps=30"), "v6e-8"),
        (
            (
                "model_name=mixtral-8x7b",
                "remat_policy=custom",
                "decoder_layer_input=offload",
                "mesh_axes=[data,fsdp,expert]",
                "ici_expert_parallelism=2",
                "learning_rate=1e-4",
                "weight_dtype=bfloat16",
            ),
            "v6e-8",
        ),
        (("global_parameter_scale=16", "max_num_checkpoints_to_keep=3", "packing=False"), "tpu7x-16"),
    ],
)
def test_static_resolving_gives_what_pyconfig_gives(words: tuple[str, ...], slice_name: str) -> None:
    """Every key that the launch alone settles has the package's own value."""
    toolchain_python()
    from tpuguru.aot.runs import resolve  # noqa: PLC0415

    support = compiling("maxtext")
    assert support is not None
    said = launch(*words)
    plan = support.plan(said, support.target(said, slice_name), support.toolchain, 300.0)
    resolution = resolve(plan.job)
    assert resolution.rejection is None
    ours = static_resolve(said).values
    differing = {
        key: (ours[key], value)
        for key, value in resolution.config.items()
        if key in ours and key not in OF_THE_RUN and not same(ours[key], value)
    }
    assert differing == {}

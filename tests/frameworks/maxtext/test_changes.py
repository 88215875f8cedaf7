"""What is tried when a launch does not fit: single changes, as job settings."""

from tests.frameworks.maxtext.launches import launch

from tpuguru.aot.job import AotJob, CompilerFlags, Target
from tpuguru.aot.record import Failure, FailureKind
from tpuguru.frameworks.compiling import Change
from tpuguru.frameworks.maxtext.changes import changes_for
from tpuguru.frameworks.maxtext.facts import derive

JOB = AotJob(
    "maxtext==0.2.5",
    Target("v6e-8"),
    overrides=(("per_device_batch_size", "4"), ("steps", "3")),
    flags=CompilerFlags(("--xla_a=1", "--xla_b=2")),
)


def texts(kind: FailureKind, message: str, *words: str) -> list[str]:
    facts = derive(launch(*words), slice_name="v6e-8")
    return [change.text for change in changes_for(Failure(kind, message), facts)]


def test_out_of_hbm_tries_tiling_batch_and_offload() -> None:
    """Full remat is in force already, so it is not tried again."""
    assert texts(FailureKind.HBM_OOM, "", "per_device_batch_size=4", "max_target_length=2048") == [
        "num_vocab_tiling=8",
        "per_device_batch_size=2 gradient_accumulation_steps=2 (same global batch)",
        "per_device_batch_size=2",
        "remat_policy=custom decoder_layer_input=offload",
    ]


def test_a_policy_that_keeps_more_is_asked_to_keep_less() -> None:
    """remat_policy=full keeps the least."""
    assert "remat_policy=full" in texts(FailureKind.HBM_OOM, "", "remat_policy=minimal")


def test_plain_attention_is_asked_to_be_flash() -> None:
    """A softmax over the whole sequence is the first thing to go."""
    assert texts(FailureKind.HBM_OOM, "", "attention=dot_product")[0] == "attention=flash"


def test_out_of_vmem_raises_the_limit_to_what_was_asked() -> None:
    """45.54 MiB, rounded up to whole MiB."""
    message = "Scoped allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M."
    assert texts(FailureKind.VMEM_OOM, message) == ["--xla_tpu_scoped_vmem_limit_kib=47104"]


def test_a_failure_without_a_known_way_out_tries_nothing() -> None:
    """A crash is no reason to guess."""
    assert texts(FailureKind.COMPILER_ABORT, "Check failed") == []


def test_a_change_replaces_what_the_job_says() -> None:
    """One value a key, one value a flag."""
    change = Change("x", (("per_device_batch_size", "2"),), flags=("--xla_a=9",), without_flags=("--xla_b",))
    changed = change.applied(JOB)
    assert dict(changed.overrides) == {"per_device_batch_size": "2", "steps": "3"}
    assert changed.flags.libtpu_init_args == ("--xla_a=9",)

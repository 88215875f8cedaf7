"""Resolving without a toolchain: order of the layers, and what MaxText refuses, each with its place."""

from dataclasses import replace

import pytest
from tests.frameworks.maxtext.launches import config_file, launch

from tpuguru.facts.finding import Severity
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.defaults import defaults, renamed_keys
from tpuguru.frameworks.maxtext.resolve import static_resolve


def names(resolution: object) -> list[str]:
    return [finding.name for finding in resolution.findings]  # type: ignore[attr-defined]


def test_a_default_is_what_base_yml_says() -> None:
    """Nothing written means base.yml's value, and the origin says so."""
    resolved = static_resolve(launch())
    assert resolved.values["remat_policy"] == "full"
    assert "base.yml of MaxText 0.2.5" in str(resolved.origins["remat_policy"])


def test_a_model_file_replaces_defaults_and_is_named() -> None:
    """model_name pulls in the model's dimensions."""
    resolved = static_resolve(launch("model_name=llama3.1-8b"))
    assert resolved.values["base_emb_dim"] == 4096
    assert "models/llama3.1-8b.yml" in str(resolved.origins["base_emb_dim"])


def test_an_instruct_model_has_its_base_models_dimensions() -> None:
    """pyconfig drops -Instruct before it looks for the model's file."""
    assert static_resolve(launch("model_name=llama3.1-8b-Instruct")).values["base_emb_dim"] == 4096


def test_the_command_line_wins_and_is_typed() -> None:
    """Values arrive as MaxText's types, with the place they were written."""
    resolved = static_resolve(
        launch("steps=1_000", "learning_rate=1e-4", "scan_layers=False", "mesh_axes=[data,fsdp]")
    )
    assert resolved.values["steps"] == 1000
    assert resolved.values["learning_rate"] == pytest.approx(1e-4)
    assert resolved.values["scan_layers"] is False
    assert resolved.values["mesh_axes"] == ["data", "fsdp"]
    assert str(resolved.origins["steps"]) == "command: run.sh:1:1"
    assert resolved.stated == ["steps", "learning_rate", "scan_layers", "mesh_axes"]


def test_a_shipped_config_brings_its_values_and_its_parents() -> None:
    """post_train/sft.yml stands on base.yml."""
    resolved = static_resolve(launch(config="src/maxtext/configs/post_train/sft.yml"))
    assert resolved.values["use_sft"] is True
    assert resolved.values["remat_policy"] == "full"


def test_a_misspelt_key_gets_its_place_and_a_suggestion() -> None:
    """One letter wrong costs one look."""
    (finding,) = static_resolve(launch("steps=1", "per_device_batchsize=4")).findings
    assert finding.name == "unknown-key"
    assert finding.severity is Severity.CRITICAL
    assert str(finding.location) == "run.sh:1:9"
    assert "per_device_batch_size" in finding.fix


def test_a_renamed_key_is_given_its_new_name_with_the_value() -> None:
    """Recipes that MaxText outgrew are told how to say it now, and since which commit."""
    (finding,) = static_resolve(launch("fsdp_shard_on_exp=True")).findings
    assert finding.name == "renamed-key"
    assert finding.fix == "shard_exp_on_fsdp=True"
    assert "e986f2495" in finding.sources[0].url


def test_a_removed_key_is_told_to_go() -> None:
    """A key without a successor is not given one."""
    (finding,) = static_resolve(launch("wi_tile_fwd_buffer_count=2")).findings
    assert (finding.name, finding.fix) == ("removed-key", "remove wi_tile_fwd_buffer_count")


def test_every_new_name_exists_and_no_old_name_does() -> None:
    """The table of renamed keys cannot send anyone to a key that is not there."""
    keys = defaults().keys
    for old, renamed in renamed_keys().items():
        assert old not in keys
        assert all(new in keys for new in renamed.new)


def test_an_unknown_model_is_one_finding_with_near_names() -> None:
    """A wrong model name is a finding, not a silent default."""
    (finding,) = static_resolve(launch("model_name=llama3.1-8bb")).findings
    assert finding.name == "unknown-model"
    assert "llama3.1-8b" in finding.fix


@pytest.mark.parametrize(
    ("word", "takes"),
    [
        ("steps=many", "a whole number"),
        ("steps=1.5", "a whole number"),
        ("learning_rate=fast", "a number"),
        ("scan_layers=maybe", "true or false"),
        ("decoder_layer_input=host", "'offload'"),
    ],
)
def test_a_value_of_the_wrong_type_says_what_the_key_takes(word: str, takes: str) -> None:
    """pydantic would refuse it; so do we, without a toolchain."""
    (finding,) = static_resolve(launch(word)).findings
    assert finding.name == "invalid-value"
    assert takes in finding.title


def test_overriding_the_models_own_value_is_refused_unless_allowed() -> None:
    """MaxText refuses two values for one dimension, until override_model_config is set."""
    words = ("model_name=llama3.1-8b", "base_emb_dim=1024")
    refused = static_resolve(launch(*words))
    assert names(refused) == ["model-value-overridden"]
    allowed = static_resolve(launch(*words, "override_model_config=True"))
    assert names(allowed) == []
    assert allowed.values["base_emb_dim"] == 1024


def test_repeating_the_models_own_value_is_fine() -> None:
    """Two equal values do not contradict each other."""
    assert names(static_resolve(launch("model_name=llama3.1-8b", "base_emb_dim=4096"))) == []


def test_a_config_files_value_that_the_model_replaces_is_pointed_out() -> None:
    """The file's value is silently lost: the model's file comes later."""
    pasted = replace(launch(), settings=config_file("model_name=llama3.1-8b", "base_emb_dim=1024"))
    resolved = static_resolve(pasted)
    assert names(resolved) == ["file-value-replaced"]
    assert resolved.values["base_emb_dim"] == 4096


def test_environment_variables_set_keys() -> None:
    """M_STEPS sets steps, and its origin is the environment."""
    resolved = static_resolve(launch(environment={"M_STEPS": "7", "HOME": "/x"}))
    assert resolved.values["steps"] == 7
    assert str(resolved.origins["steps"]).startswith("environment")


def test_a_key_set_twice_across_layers_is_refused() -> None:
    """pyconfig stops when the command line and the environment both set a key."""
    assert names(static_resolve(launch("steps=5", environment={"M_STEPS": "7"}))) == ["set-twice"]


def test_what_only_running_would_tell_stays_unknown() -> None:
    """A value made by a command substitution is not guessed."""
    setting = replace(launch("steps=1").settings[0], text=Unknown("$(date)"))
    resolved = static_resolve(replace(launch(), settings=(setting,)))
    assert isinstance(resolved.values["steps"], Unknown)

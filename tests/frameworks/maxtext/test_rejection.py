"""MaxText's own words become findings with a place and a way out."""

from dataclasses import replace

from tests.frameworks.maxtext.launches import launch, written

from tpuguru.frameworks.maxtext.rejection import flag_finding, rejection_finding


def test_the_key_list_is_left_out_and_the_new_name_given() -> None:
    """Nobody reads a thousand keys."""
    message = "'fsdp_shard_on_exp' not in 'run_name', 'model_name', 'steps'."
    finding = rejection_finding(message, launch("steps=1", "fsdp_shard_on_exp=True"))
    assert finding.name == "renamed-key"
    assert str(finding.location) == "run.sh:1:9"
    assert finding.fix == "shard_exp_on_fsdp=True"


def test_a_models_refusal_is_quoted_and_placed() -> None:
    """pydantic's frame around the sentence goes; the sentence stays."""
    message = (
        "1 validation error for MaxTextConfig\n  Value error, When EP rank is 1, use_random_routing must be "
        "False (was True). [type=value_error, input_value={'run_name': ''}, input_type=dict]\n    For further"
    )
    finding = rejection_finding(message, launch("model_name=qwen3-235b-a22b", "use_random_routing=True"))
    assert finding.title == (
        "MaxText refuses the launch: When EP rank is 1, use_random_routing must be False (was True)."
    )
    assert finding.setting == "use_random_routing=True"
    assert finding.fix == "use_random_routing=False"


def test_a_fields_refusal_names_the_field() -> None:
    """A value that the key does not take."""
    message = (
        "1 validation error for MaxTextConfig\nmodel_name\n  Input should be 'default', 'llama2-7b' or "
        "'llama2-13b' [type=literal_error, input_value='llama9', input_type=str]"
    )
    finding = rejection_finding(message, launch("model_name=llama9-8b"))
    assert finding.name == "unknown-model"
    assert finding.location is not None


def test_words_that_name_no_setting_are_still_told() -> None:
    """Better no place than a wrong one."""
    finding = rejection_finding("Device memory is imaginary", launch("steps=1"))
    assert finding.location is None
    assert "Device memory is imaginary" in finding.title


def test_a_mesh_that_misses_the_slice_is_one_sentence() -> None:
    """What MaxText asserts about products is the last line of its message."""
    message = "Number of devices per slice 8 does not match the product of the ICI parallelism 6"
    assert message in rejection_finding(message, launch("ici_fsdp_parallelism=3")).title


def test_a_refused_flag_is_placed_and_the_compilers_advice_followed() -> None:
    """libtpu names the flag and the value it wants."""
    flag = written("--xla_tpu_enable_async_collective_fusion", "true", 7)
    other = written("--xla_tpu_enable_async", "true", 3)
    message = (
        "FAILED_PRECONDITION: Continuation fusion for AllGather is enabled on platform ghostlite. Please disable "
        "it with xla_tpu_enable_async_collective_fusion=false"
    )
    finding = flag_finding(message, replace(launch(), compiler_flags=(other, flag)))
    assert finding.name == "flag-refused"
    assert str(finding.location) == "run.sh:1:7"
    assert finding.fix == "--xla_tpu_enable_async_collective_fusion=false"

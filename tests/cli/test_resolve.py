"""`tpuguru resolve`: every written setting with its value and origin, refusals first."""

import json
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from tests.toolchain import toolchain_python

from tpuguru.base.locations import data_directory

START = "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml"


def resolve(paste: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "resolve", "-", *options],
        input=paste,
        capture_output=True,
        text=True,
        check=False,
    )


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(document, json.loads((data_directory("contracts") / "resolve.v1.json").read_text()))
    return document


def test_a_setting_has_its_value_and_its_place() -> None:
    """Typed as MaxText types it."""
    done = resolve(f"{START} model_name=llama3.1-8b steps=30", "--output-format", "json")
    assert done.returncode == 0
    settings = {setting["key"]: setting for setting in report(done)["settings"]}
    assert settings["steps"]["value"] == 30
    assert settings["steps"]["stated"] is True
    assert settings["steps"]["location"]["column"] == len(START) + len(" model_name=llama3.1-8b ") + 1


def test_all_shows_defaults_and_the_models_own_values() -> None:
    """Nothing that is in force is hidden."""
    done = resolve(f"{START} model_name=llama3.1-8b", "--all", "--output-format", "json")
    settings = {setting["key"]: setting for setting in report(done)["settings"]}
    assert settings["base_emb_dim"]["value"] == 4096
    assert "models/llama3.1-8b.yml" in settings["base_emb_dim"]["origin"]
    assert "base.yml" in settings["remat_policy"]["origin"]


def test_a_refusal_is_exit_one_and_comes_first() -> None:
    """The text says what to write instead."""
    done = resolve(f"{START} fsdp_shard_on_exp=True")
    assert done.returncode == 1
    assert done.stdout.index("Refused") < done.stdout.index("shard_exp_on_fsdp=True")


def test_models_are_listed() -> None:
    """The names that model_name takes."""
    done = resolve("", "--models")
    assert "llama3.1-405b" in done.stdout.split()


def test_a_secret_is_not_shown() -> None:
    """Nor in JSON."""
    done = resolve(f"{START} hf_access_token=hf_s3cr3t", "--output-format", "json")
    assert "hf_s3cr3t" not in done.stdout + done.stderr


@pytest.mark.toolchain
def test_the_frameworks_own_word_is_quoted() -> None:
    """What only pyconfig knows: random routing needs expert parallelism."""
    toolchain_python()
    paste = f"{START} model_name=qwen3-30b-a3b use_random_routing=True"
    done = resolve(paste, "--toolchain", "maxtext==0.2.5", "--slice", "v6e-8", "--output-format", "json")
    assert done.returncode == 1
    (finding,) = report(done)["findings"]
    assert finding["setting"] == "use_random_routing=True"
    assert finding["fix"] == "use_random_routing=False"

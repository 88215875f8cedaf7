"""tpuguru model, as a user runs it."""

import json
from pathlib import Path

import jsonschema
import pytest

from tpuguru.base.locations import data_directory
from tpuguru.cli.main import main

CONFIG = {
    "model_type": "qwen3",
    "hidden_size": 1024,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 3072,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}


def test_a_config_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parameters, cache, divisors, mapping and the nearest models are all there."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    assert main(["model", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "596,049,920" in shown
    assert "114,688 bytes per token" in shown
    assert "model_name=qwen3-0.6b" in shown
    assert "the same sizes" in shown


def test_json_follows_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """Machines read the same report."""
    assert main(["model", "deepseek-v3", "--json"]) == 0
    schema = json.loads((data_directory("contracts") / "model.v1.json").read_text(encoding="utf-8"))
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, schema)
    assert report["parameters"] == 671_026_419_200


def test_a_model_of_new_sizes_gets_keys_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MaxText has the family but not the sizes: the keys of a new file; TorchTitan lacks the family."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, "model_type": "qwen2", "hidden_size": 1152}), encoding="utf-8")
    assert main(["model", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "base_emb_dim: 1152" in shown
    assert "TorchTitan has no model folder" in shown


def test_neither_file_nor_model_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 with the nearest known names."""
    assert main(["model", "qwen3-9b"]) == 2
    shown = capsys.readouterr().err
    assert "neither a file nor a known model" in shown
    assert "qwen3.5-9b" in shown


def test_a_file_without_a_model_is_nothing_to_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3, never a success."""
    path = tmp_path / "notes.yml"
    path.write_text("colour: blue\n", encoding="utf-8")
    assert main(["model", str(path)]) == 3
    assert "describes no model" in capsys.readouterr().err

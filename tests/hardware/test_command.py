"""tpuguru hardware, as a user runs it."""

import json

import jsonschema
import pytest

from tpuguru.base.locations import data_directory
from tpuguru.cli.main import main


def test_the_list_has_every_chip(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name the command lists what is known."""
    assert main(["hardware"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:] if line]
    files = {path.stem for path in data_directory("hardware").glob("*.toml")}
    assert files <= set(listed)


def test_a_slice_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """The trap of tpu7x names is spelled out."""
    assert main(["hardware", "tpu7x-128"]) == 0
    shown = capsys.readouterr().out
    assert "64 TPU7x (Ironwood) chips" in shown
    assert "the number in the name counts devices, not chips" in shown


@pytest.mark.parametrize("words", [["h20"], ["2x", "v6e-16"], ["ct6e-standard-8t"]])
def test_json_follows_the_contract(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Machines read the same facts, in the shape that the schema promises."""
    assert main(["hardware", *words, "--json"]) == 0
    schema = json.loads((data_directory("contracts") / "hardware.v1.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


def test_an_unknown_chip_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, a suggestion, no traceback."""
    assert main(["hardware", "h21"]) == 2
    assert "did you mean h2" in capsys.readouterr().err

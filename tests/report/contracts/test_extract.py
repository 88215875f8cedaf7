"""Contract extract/v1: valid by its schema, nothing lost on the way there and back."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema

from tpuguru.artifacts.extract import extract_folder
from tpuguru.base.locations import data_directory
from tpuguru.report.contracts.extract import ExtractReport, from_json, to_contract, to_json

if TYPE_CHECKING:
    from tpuguru.artifacts.model import Extract

STEP = Path(__file__).parents[2] / "artifacts" / "fixtures" / "step"


def test_valid_by_the_published_schema() -> None:
    """The JSON of an extract is valid by contracts/extract.v1.json."""
    document = json.loads(to_json(to_contract(extract_folder(STEP))))
    schema = json.loads((data_directory("contracts") / "extract.v1.json").read_text())
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
    assert document["schema"] == "extract/v1"


def test_round_trip() -> None:
    """Reading the JSON back gives the same report."""
    report = to_contract(extract_folder(STEP))
    assert from_json(to_json(report)) == report


def names(value: object) -> object:
    """Return the tree of field names of a dataclass instance."""
    if is_dataclass(value):
        return {field.name: names(getattr(value, field.name)) for field in fields(value)}
    return [names(item) for item in value] if isinstance(value, tuple) else None


def keys(value: object) -> object:
    """Return the tree of keys of decoded JSON, free-form mappings left out."""
    if isinstance(value, dict):
        return {key: keys(item) for key, item in value.items()}
    return [keys(item) for item in value] if isinstance(value, list) else None


def test_no_field_is_dropped() -> None:
    """Every field of the internal model is in the contract under the same name."""
    extract: Extract = extract_folder(STEP)
    document = json.loads(to_json(to_contract(extract)))
    for room in ("program", "memory", "code_path", "collectives", "flags", "outcome", "target"):
        inside, outside = names(getattr(extract, room)), keys(document[room])
        assert isinstance(inside, dict)
        assert isinstance(outside, dict)
        assert inside.keys() == outside.keys()
    assert isinstance(to_contract(extract), ExtractReport)

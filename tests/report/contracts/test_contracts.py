"""Every contract's schema file is what its model says."""

import json

import jsonschema
import pytest

from tpuguru.base.locations import data_directory
from tpuguru.report.contracts.generate import schemas


@pytest.mark.parametrize("stem", schemas())
def test_the_schema_file_is_up_to_date(stem: str) -> None:
    """A model that changes without its schema would break readers silently; run scripts/generate_contracts.py."""
    assert (data_directory("contracts") / f"{stem}.json").read_text(encoding="utf-8") == schemas()[stem]


@pytest.mark.parametrize("stem", schemas())
def test_the_schema_is_valid(stem: str) -> None:
    """Readers validate with it, so it must itself be a valid schema."""
    jsonschema.Draft202012Validator.check_schema(json.loads(schemas()[stem]))

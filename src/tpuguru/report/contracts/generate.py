"""JSON Schemas of every contract, from the models themselves."""

import json
from importlib import import_module
from pkgutil import iter_modules

import msgspec

from tpuguru.report import contracts

_ROOT = "https://tpuguru.dev/contracts"


def schemas() -> dict[str, str]:
    """Return the text of each contract's schema file by its stem («hardware.v1»), sorted by stem.

    A module under report/contracts/ declares its contract as ``CONTRACT = ("hardware.v1", HardwareReport)``.
    """
    declared = {}
    for module in iter_modules(contracts.__path__):
        contract = getattr(import_module(f"{contracts.__name__}.{module.name}"), "CONTRACT", None)
        if contract:
            stem, model = contract
            declared[stem] = _schema(stem, model)
    return dict(sorted(declared.items()))


def _schema(stem: str, model: type[msgspec.Struct]) -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{_ROOT}/{stem}.json",
        **msgspec.json.schema(model),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"

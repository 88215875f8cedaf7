"""Print MaxText's keys, defaults, models and topologies as JSON. Runs in a MaxText toolchain's Python.

It imports nothing of tpuguru. ``scripts/generate_maxtext.py`` runs it and writes
``src/tpuguru/frameworks/maxtext/data/defaults-<version>.json`` and the fact vocabulary; a test that needs the
toolchain runs it again and compares.
"""

import enum
import importlib.metadata
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

_SCALARS = {bool: "boolean", int: "integer", float: "number", str: "text"}


def describe(annotation: Any) -> dict[str, Any]:  # noqa: ANN401 - any annotation that pydantic takes
    """Return ``{type, null?, choices?}`` of an annotation; type ``other`` for what a fact cannot hold."""
    parts = _union_parts(annotation)
    nullable = type(None) in parts
    parts = [part for part in parts if part is not type(None)]
    described = _describe_parts(parts)
    return {**described, "null": True} if nullable else described


def _union_parts(annotation: Any) -> list[Any]:  # noqa: ANN401
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return [part for argument in typing.get_args(annotation) for part in _union_parts(argument)]
    if origin is typing.Annotated:
        return _union_parts(typing.get_args(annotation)[0])
    return [annotation]


def _describe_parts(parts: list[Any]) -> dict[str, Any]:
    if set(parts) == {int, float}:
        return {"type": "number"}
    if len(parts) != 1:
        return {"type": "other"}
    part = parts[0]
    if part in _SCALARS:
        return {"type": _SCALARS[part]}
    if isinstance(part, type) and issubclass(part, enum.Enum):
        values = [member.value for member in part]
        kind = "text" if all(isinstance(value, str) for value in values) else "integer"
        return {"type": kind, "choices": values}
    if typing.get_origin(part) is typing.Literal:
        return {"type": "text", "choices": list(typing.get_args(part))}
    element = typing.get_args(part)[0] if typing.get_origin(part) is list else None
    return {"type": {str: "texts", int: "integers"}.get(element, "other")}


def keys_of(model: Any, base: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a pydantic model class
    """Return every key: its type, its default as base.yml (else the class) gives it, and its choices."""
    found = {}
    for name, field in model.model_fields.items():
        if hasattr(field.annotation, "model_fields"):
            found[name] = {"type": "other", "fields": sorted(field.annotation.model_fields)}
            continue
        default = base.get(name, None if field.is_required() else field.default)
        record = {**describe(field.annotation), "in_base": name in base}
        if record["type"] != "other" or name == "data_sharding":
            record["default"] = _plain(default)
        found[name] = record
    return found


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, str) and value.lower() == "none":  # pyconfig reads the word None as null
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else None


def _yaml(path: Path) -> dict[str, Any]:
    """Read a file as pyconfig does: to OmegaConf ``1e-5`` is a number and ``500_000`` is 500000."""
    values = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    return {key: value for key, value in values.items() if key != "logical_axis_rules"}


def main() -> None:
    """Print the table."""
    from maxtext.configs import types as configuration  # noqa: PLC0415
    from maxtext.utils import accelerator_to_spec_map  # noqa: PLC0415
    from maxtext.utils.globals import MAXTEXT_CONFIGS_DIR  # noqa: PLC0415

    folder = Path(MAXTEXT_CONFIGS_DIR)
    base = _yaml(folder / "base.yml")
    others = sorted(folder.glob("post_train/*.yml")) + sorted(folder.glob("gpu/**/*.yml"))
    meshes = sorted((folder / "custom_mesh_and_rule").glob("*.yml"))
    systems = accelerator_to_spec_map.UserFacingNameToSystemCharacteristics
    table = {
        "package": "maxtext",
        "version": importlib.metadata.version("maxtext"),
        "licence": "defaults and model dimensions of MaxText, Apache-2.0, https://github.com/AI-Hypercomputer/maxtext",
        "keys": keys_of(configuration.MaxTextConfig, base),
        "models": {path.stem: _yaml(path) for path in sorted(folder.glob("models/*.yml"))},
        "configs": {str(path.relative_to(folder)): _yaml(path) for path in others},
        "meshes": {path.stem: _yaml(path).get("mesh_axes", []) for path in meshes},
        "topologies": {
            name: {"topology": system.topology_name, "devices": system.devices_per_slice}
            for name, system in systems.items()
            if system.platform == "tpu"
        },
    }
    json.dump(table, sys.stdout, sort_keys=True)


main()

"""Build MaxText's configuration with its own pyconfig."""

import contextlib
import enum
import os
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worker_kit.failure import WorkFailure, phase

from maxtext_train.framework import framework

_CONFIGS = ("src/maxtext/configs/", "maxtext/configs/", "MaxText/configs/", "configs/")


def resolve_configuration(request: dict) -> object:
    """Return MaxText's resolved configuration; WorkFailure("resolve") holds pyconfig's rejection."""
    register_topology(request["topology"])
    with phase("resolve"), _unchanged_environment():
        for key in _omitted(request):
            os.environ.pop(f"M_{key.upper()}", None)  # MaxText's third way to set a key
        path = _config_path(request)
        words = [word for word in request["overrides"] if word.split("=", 1)[0] not in _omitted(request)]
        return framework().pyconfig.initialize(["", str(path), *words, *_target_words(request)])


def _omitted(request: dict) -> frozenset[str]:
    return frozenset(request.get("omit", ()))


def _target_words(request: dict) -> list[str]:
    """Return the two settings that make MaxText aim at hardware that is not here."""
    topology = request["topology"]
    return [f"compile_topology={topology['name']}", f"compile_topology_num_slices={topology['slices']}"]


def register_topology(topology: dict) -> None:
    """Let MaxText take a slice that its own name table lacks, when the request describes it."""
    table = framework().accelerators.UserFacingNameToSystemCharacteristics
    arguments = topology.get("arguments")
    if topology["name"] in table or not arguments:
        return
    table[topology["name"]] = framework().accelerators.SystemCharacteristics(
        arguments["platform"],
        arguments["topology_name"],
        arguments["chip_config_name"],
        tuple(arguments["chips_per_host_bounds"]),
        topology["devices_per_slice"],
        tuple(arguments["wrap"]),
    )


def _config_path(request: dict) -> Path:
    """Return the YAML to start from: the user's text without the omitted keys, or one of MaxText's own."""
    if request.get("config_text"):
        return _write_config(request)
    folder = Path(framework().pyconfig.__file__).parent
    name = request.get("config_name") or "base.yml"
    for start in _CONFIGS:
        if start in name:
            name = name.rsplit(start, 1)[1]
    found = (folder / name).resolve()
    if not found.is_relative_to(folder) or not found.is_file():
        missing = FileNotFoundError(
            f"the configuration file {name} is not one of MaxText's own; paste its text as well"
        )
        raise WorkFailure("resolve", missing)
    return found


def _write_config(request: dict) -> Path:
    import omegaconf

    path = Path("pasted.yml").resolve()
    path.write_text(request["config_text"], encoding="utf-8")
    if _omitted(request):
        settings = omegaconf.OmegaConf.load(path)
        for key in _omitted(request) & set(settings):
            del settings[key]
        omegaconf.OmegaConf.save(settings, path)
    return path


@contextlib.contextmanager
def _unchanged_environment() -> Iterator[None]:
    """Undo what pyconfig writes to the environment: it points XLA's dumps to a folder outside the run."""
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def as_json(config: Any) -> dict:
    """Return every key with a JSON value: data types by name, enumerations by value."""
    return {str(key): _plain(value) for key, value in sorted(config.get_keys().items())}


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return getattr(value, "name", None) or str(value)


def groups(config: Any) -> dict[str, str]:
    """Return the group of each key: the class of MaxText's configuration model that declares it."""
    model = type(config._pydantic_config)  # noqa: SLF001 - the only way to the declaring classes
    owners: dict[str, str] = {}
    for declaring in reversed(model.__mro__):
        for key in getattr(declaring, "__annotations__", {}):
            if key in model.model_fields:
                owners[key] = declaring.__name__
    return owners


def choices(config: Any) -> dict[str, list[str]]:
    """Return the values of each key that can have only a fixed few: an enumeration or a Literal."""
    found = {}
    for key, field in type(config._pydantic_config).model_fields.items():  # noqa: SLF001
        values = _fixed_values(field.annotation)
        if values:
            found[key] = values
    return found


def _fixed_values(annotation: Any) -> list[str]:
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return [str(member.value) for member in annotation]
    if typing.get_origin(annotation) is typing.Literal:
        return [str(value) for value in typing.get_args(annotation)]
    return [value for part in typing.get_args(annotation) for value in _fixed_values(part)]


def stated(config: Any) -> list[str]:
    """Return the keys that MaxText itself takes as set by the user."""
    return sorted(getattr(config._pydantic_config, "__pydantic_fields_set__", ()))  # noqa: SLF001

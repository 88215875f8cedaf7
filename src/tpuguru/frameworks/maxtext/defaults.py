"""MaxText's keys, defaults and model files as tables, one JSON file a version, generated from the package."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tpuguru.base.errors import UsageError

type Plain = bool | int | float | str | list[Any] | dict[str, Any] | None

NEWEST = "0.2.5"
_DATA = Path(__file__).with_name("data")


class Key(msgspec.Struct, frozen=True):
    """A key of MaxText's configuration: its type, whether it may be null, its default and choices."""

    type: str
    null: bool = False
    in_base: bool = True
    default: Plain = None
    choices: list[str | int] = msgspec.field(default_factory=list)
    fields: list[str] = msgspec.field(default_factory=list)


class Topology(msgspec.Struct, frozen=True):
    """A name that ``compile_topology`` takes, with libtpu's name for it and its devices."""

    topology: str
    devices: int


class Defaults(msgspec.Struct, frozen=True):
    """One version of MaxText."""

    package: str
    version: str
    keys: dict[str, Key]
    models: dict[str, dict[str, Plain]]
    configs: dict[str, dict[str, Plain]]
    meshes: dict[str, list[str]]
    topologies: dict[str, Topology]

    def accepts(self, key: str) -> bool:
        """Tell whether pyconfig takes the key, at the top or as a field of a nested group."""
        return key in self.keys or any(key in group.fields for group in self.keys.values())


class Renamed(msgspec.Struct, frozen=True):
    """A key that older MaxText had: its new names (none: removed), since when, and a remark."""

    new: list[str]
    commit: str
    date: str
    note: str = ""


class _RenamedFile(msgspec.Struct):
    source: str
    keys: dict[str, Renamed]


def versions() -> tuple[str, ...]:
    """Return the MaxText versions that have a table, oldest first."""
    return tuple(sorted(path.stem.removeprefix("defaults-") for path in _DATA.glob("defaults-*.json")))


@cache
def defaults(version: str = NEWEST) -> Defaults:
    """Return the table of a version. UsageError when there is none."""
    path = _DATA / f"defaults-{version}.json"
    if not path.exists():
        raise UsageError(
            f"there is no defaults table for MaxText {version}",
            help=f"tables exist for {', '.join(versions())}; scripts/generate_maxtext.py makes one",
        )
    return msgspec.json.decode(path.read_bytes(), type=Defaults)


@cache
def renamed_keys() -> Mapping[str, Renamed]:
    """Return the keys that published recipes use and newer MaxText renamed or removed."""
    return msgspec.json.decode((_DATA / "renamed.json").read_bytes(), type=_RenamedFile).keys

"""Reads the chip files under hardware/."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.locations import data_directory
from tpuguru.facts.finding import Level, Source
from tpuguru.hardware.chips import Chip, Counts, Figure, Topologies

type Table = Mapping[str, Any]  # what tomllib gives: checked key by key below

_COUNTS = ("chips", "cores", "devices")
_REQUIRED_FIGURES = ("devices_per_chip", "hbm_per_device")
_TEXTS = (
    "device_kind",
    "libtpu_name",
    "chip_config_name",
    "maxtext_prefix",
    "gke_label",
    "compute_capability",
)


def read_all_chips() -> Iterator[Chip]:
    """Yield the chip of every file; UsageError for a file that is wrong, naming it and the wrong key."""
    for path in sorted(data_directory("hardware").glob("*.toml")):
        yield read_chip(path)


def read_named_chip(name: str) -> Chip | None:
    """Return the chip of the file ``name``.toml, None when there is none. UsageError when it is wrong."""
    path = data_directory("hardware") / f"{name}.toml"
    return read_chip(path) if path.is_file() else None


def read_chip(path: Path) -> Chip:
    """Return the chip that a data file describes; UsageError when the file is malformed or incomplete."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(path, f"cannot be read: {error}") from error
    try:
        return _chip(path, table)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _wrong(path, f"missing or wrong: {error}") from error


def _chip(path: Path, table: Table) -> Chip:
    if table["name"] != path.stem:
        raise ValueError(f"name {table['name']!r} is not the file's name")
    return Chip(
        name=table["name"],
        title=table["title"],
        vendor=table["vendor"],
        kind=_one_of(table["kind"], ("tpu", "gpu")),
        topologies=_topologies(table["topologies"]),
        figures=_figures(table),
        names={prefix: cast("Counts", _one_of(counts, _COUNTS)) for prefix, counts in table["names"].items()},
        machine_types=dict(table.get("machine_types", {})),
        aliases=tuple(table.get("aliases", ())),
        **{key: str(table[key]) for key in _TEXTS if key in table},
    )


def _one_of(value: Any, choices: tuple[str, ...]) -> Any:  # noqa: ANN401 - straight from TOML
    if value not in choices:
        raise ValueError(f"{value!r} is none of {', '.join(choices)}")
    return value


def _topologies(table: Table) -> Topologies:
    return Topologies(
        dimensions=table["dimensions"],
        chips_per_host=table["chips_per_host"],
        valid=tuple(tuple(int(size) for size in shape.split("x")) for shape in table.get("valid", ())),
        single_host_chips=tuple(table.get("single_host_chips", ())),
        multiple_of=table.get("multiple_of", 0),
        most_chips=table.get("most_chips", 0),
        longest=table.get("longest", 0),
        wraps_at=table.get("wraps_at", 0),
    )


def _figures(table: Table) -> dict[str, Figure]:
    sources = {
        key: Source(entry["title"], entry["url"], entry["date"]) for key, entry in table["sources"].items()
    }
    figures = {
        name: Figure(entry["value"], sources[entry["source"]], Level(entry["level"]), entry.get("note", ""))
        for name, entry in table["figures"].items()
    }
    missing = [name for name in _REQUIRED_FIGURES if name not in figures]
    if missing:
        raise ValueError(f"no figure {missing[0]}")
    return figures


def _wrong(path: Path, what: str) -> UsageError:
    return UsageError(f"chip file {path.name}: {what}", location=Location(str(path), 1))

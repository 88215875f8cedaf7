"""Compiler flags in force, from what the compiler dumped, against those asked for."""

import re
from collections.abc import Mapping
from pathlib import Path

from tpuguru.artifacts.model import FlagCheck, Flags

_FLAG = re.compile(r"^--?([\w.]+)(?:=(.*))?$")
_FIELD = re.compile(r"^([\w.]+): (.*)$")
_CHANGED = re.compile(
    r"^# ([\w.]+) in the current tpu_comp_env has a non-default value\. Default flag value: (.*)$"
)
# The environment prints three-valued flags in words; people write true and false.
_SAME = {
    "1": "true", "yes": "true", "enabled": "true", "t": "true",
    "0": "false", "no": "false", "disabled": "false", "f": "false",
}  # fmt: skip
_LARGEST = 16 * 2**20


def check_flags(
    requested: Mapping[str, str],
    *,
    flagfile: Path | None,
    environment: Path | None,
    debug_options: Path | None = None,
) -> Flags:
    """Compare the flags asked for with those in force.

    ``tpu_comp_env`` is what the compile really used (compile options included) and wins over the flagfile,
    which holds the process's own; a flag in neither was not known to this compiler.
    """
    lines = _lines(environment)
    in_force = {**_flags(_lines(flagfile)), **_fields(_lines(debug_options)), **_fields(lines)}
    if not in_force:
        return Flags()
    return Flags(
        in_force_count=len(in_force),
        requested=tuple(_check(name, value, in_force) for name, value in sorted(requested.items())),
        notable=_changed(lines),
    )


def _check(name: str, wanted: str, in_force: Mapping[str, str]) -> FlagCheck:
    name = name.lstrip("-")
    value = in_force.get(name)
    if value is None:
        return FlagCheck(name, wanted, None, "absent")
    return FlagCheck(name, wanted, value, "same" if _equal(wanted, value) else "different")


def _equal(left: str, right: str) -> bool:
    return _normal(left) == _normal(right)


def _normal(value: str) -> str:
    text = value.strip().strip("\"'").lower()
    text = _SAME.get(text, text)
    try:
        return repr(float(text))
    except ValueError:
        return text


def _flags(lines: list[str]) -> dict[str, str]:
    found = (_FLAG.match(line) for line in lines)
    return {match[1]: (match[2] if match[2] is not None else "true").strip("'\"") for match in found if match}


def _fields(lines: list[str]) -> dict[str, str]:
    found = (_FIELD.match(line) for line in lines)
    return {match[1]: match[2].strip("\"'") for match in found if match}


def _changed(lines: list[str]) -> dict[str, str]:
    """Values that differ from the compiler's defaults, as «value (default …)»."""
    fields, found = _fields(lines), (_CHANGED.match(line) for line in lines)
    return {match[1]: f"{fields.get(match[1], '?')} (default {match[2]})" for match in found if match}


def _lines(path: Path | None) -> list[str]:
    if path is None:
        return []
    with path.open("rb") as file:
        return file.read(_LARGEST).decode("utf-8", "replace").splitlines()

"""Settings quoted in a paste: flags, key=value pairs and YAML-like lines."""

import re

from tpuguru.telemetry.observation import Observation, Quoted
from tpuguru.telemetry.readers import Reader

_FLAG = re.compile(r"(?<![\w-])--?([A-Za-z][\w.-]+)(?:[= ]+(\"[^\"]*\"|'[^']*'|[^\s;|&,)\"']+))?")
_PAIR = re.compile(r"(?<![\w.-])([A-Za-z_][\w.]{2,})\s*=\s*(\"[^\"]*\"|'[^']*'|\[[^\]]*\]|[^\s,;()]+)")
_MOST = 512


def _clean(value: str | None) -> str:
    return (value or "").rstrip(":.").strip("\"'")


def _read(line: str, number: int, observation: Observation) -> None:
    if len(observation.settings) >= _MOST:
        return
    for found in _FLAG.finditer(line):
        value = "" if (found[2] or "").startswith("-") and not _is_number(found[2]) else _clean(found[2])
        observation.settings.append(Quoted(_key(found[1]), value, number))
    for found in _PAIR.finditer(line):
        if not line[: found.start()].endswith("-"):
            observation.settings.append(Quoted(_key(found[1]), _clean(found[2]), number))


def _key(name: str) -> str:
    return name.strip("-").replace("-", "_")


def _is_number(text: str | None) -> bool:
    return bool(text and re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", text))


READERS = (Reader("settings", ("--", "="), _read),)

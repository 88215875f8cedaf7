"""Which accelerator a paste is about: the first slice, chip or GPU it names."""

import re

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import Reader

# Spellings people use; resolved against our hardware data afterwards, so that a new chip is only data.
_NAME = re.compile(
    r"\b(tpu[ _-]?v?\d\w?(?:x|e|p|i)?(?:lite)?(?:pod)?(?:[-:]\d+(?:x\d+)*)?"
    r"|v\d(?:litepod|[epx])?(?:-\d+|:\d+(?:x\d+)+)?|trillium|ironwood"
    r"|[ABHL]\d{2,3}(?:-\d+G)?|MI3\d\dX|GB\d{3}|TITAN|RTX ?\d+)\b",
    re.IGNORECASE,
)
_MOST = 32


def _read(line: str, number: int, observation: Observation) -> None:
    for found in _NAME.finditer(line):
        if len(observation.accelerator_names) < _MOST:
            observation.accelerator_names.append((found.group(1), number))


READERS = (
    Reader(
        "accelerator",
        (
            "v2",
            "v3",
            "v4",
            "v5",
            "v6",
            "v7",
            "tpu",
            "TPU",
            "A100",
            "H100",
            "H200",
            "H20",
            "H800",
            "B200",
            "B300",
            "L20",
            "L40",
            "MI3",
            "mi3",
            "rillium",
            "ronwood",
            "h100",
            "h200",
            "h20",
            "a100",
        ),
        _read,
    ),
)

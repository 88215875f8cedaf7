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
            b"v2",
            b"v3",
            b"v4",
            b"v5",
            b"v6",
            b"v7",
            b"tpu",
            b"TPU",
            b"A100",
            b"H100",
            b"H200",
            b"H20",
            b"H800",
            b"B200",
            b"B300",
            b"L20",
            b"L40",
            b"MI3",
            b"mi3",
            b"rillium",
            b"ronwood",
            b"h100",
            b"h200",
            b"h20",
            b"a100",
        ),
        _read,
    ),
)

"""Compilations that a log reports: after the first step they are stalls."""

import re

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import Reader

_COMPILE = re.compile(
    r"Finished XLA compilation of|Compiling \S+ (?:with global shapes|for)|Recompiling function"
    r"|recompile (?:triggered|limit)|Compilation of \S+ took|torch\._dynamo hit config\.recompile_limit",
    re.IGNORECASE,
)
_MOST = 1000


def _read(line: str, number: int, observation: Observation) -> None:
    if len(observation.compile_lines) < _MOST and _COMPILE.search(line):
        observation.compile_lines.append(number)


READERS = (Reader("compiles", ("ompil",), _read),)

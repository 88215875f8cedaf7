"""Used-of-limit statements of compilers and runtimes, by memory space."""

import re

from tpuguru.base.units import GiB, KiB, MiB, TiB
from tpuguru.telemetry.observation import MemoryStatement, Observation
from tpuguru.telemetry.readers import Reader

# XLA prints binary multiples with a bare letter: «31.24G» is GiB (tsl/platform/numbers.cc).
_BINARY = {"": 1.0, "k": KiB, "m": MiB, "g": GiB, "t": TiB}
_SIZE = r"([\d,]+\.?\d*)\s*([KMGT]?)(?:i?B)?"
_USED_OF = re.compile(rf"used:? {_SIZE} of {_SIZE}(?:\s+(\w+))?", re.IGNORECASE)
_EXCEEDS = re.compile(rf"\({_SIZE}\) exceeds available (\w+) \({_SIZE}\)", re.IGNORECASE)
_SCOPED = re.compile(rf"size {_SIZE} and limit {_SIZE} exceeded scoped (\w+)", re.IGNORECASE)
_CUDA = re.compile(rf"Tried to allocate {_SIZE}.*?total capacity (?:of )?{_SIZE}", re.IGNORECASE)
_SPACE = re.compile(r"memory space (\w+)|\b(hbm|vmem|smem)\b", re.IGNORECASE)
_MOST = 64


def _bytes(number: str, letter: str) -> float:
    return float(number.replace(",", "")) * _BINARY[letter.lower()]


def _space(line: str, named: str | None) -> str:
    if named and named.lower() in {"hbm", "vmem", "smem"}:
        return named.lower()
    found = _SPACE.search(line)
    return (found.group(1) or found.group(2)).lower() if found else "hbm"


def _read(line: str, number: int, observation: Observation) -> None:
    if len(observation.memory) >= _MOST:
        return
    statement = _statement(line, number)
    if statement:
        observation.memory.append(statement)
        observation.seen("memory", number)


def _statement(line: str, number: int) -> MemoryStatement | None:
    if found := _EXCEEDS.search(line):
        return MemoryStatement(
            found[3].lower(), _bytes(found[1], found[2]), _bytes(found[4], found[5]), number
        )
    if found := _SCOPED.search(line):
        return MemoryStatement(
            found[5].lower(), _bytes(found[1], found[2]), _bytes(found[3], found[4]), number
        )
    if found := _USED_OF.search(line):
        space = _space(line, found[5])
        return MemoryStatement(space, _bytes(found[1], found[2]), _bytes(found[3], found[4]), number)
    if found := _CUDA.search(line):
        return MemoryStatement("hbm", _bytes(found[1], found[2]), _bytes(found[3], found[4]), number)
    return None


READERS = (Reader("memory", ("sed ", "exceed", "Tried to allocate"), _read),)

"""Numbers with a unit in any sentence: FLOP/s, bytes, seconds, tokens/s, MFU, and their denominators."""

import re

from tpuguru.telemetry.observation import Figure, Observation
from tpuguru.telemetry.readers import Reader

_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_NUMBER = r"(?P<value>\d[\d,]*\.?\d*(?:e[+-]?\d+)?)"
_PER = (
    r"(?:\s*(?:/|\bper\b|\bon (?:one|a|each|every|a single)\b(?:\s+(?:TPU|v\d+[a-z]*))?)"
    r"\s*(?P<per>dev(?:ice)?|chip|gpu|core)s?\b)?"
)
_FLOP_RATE = re.compile(
    rf"{_NUMBER}\s*(?P<prefix>[kMGTP])\s*FLOP(?:s|S)?\s*(?:/\s*s(?:ec)?|/sec|ps)?{_PER}", re.IGNORECASE
)
_LABELLED_FLOP_RATE = re.compile(
    rf"(?P<prefix>[TP])FLOP(?:s|S)?(?:/s|ps)?(?:/(?P<per>device|dev|chip|gpu|core))?\s*[:=]\s*{_NUMBER}",
    re.IGNORECASE,
)
_TOKEN_RATE = re.compile(rf"{_NUMBER}\s*(?P<prefix>[kM]?)\s*tok(?:en)?s?\s*/\s*s(?:ec)?{_PER}", re.IGNORECASE)
_MFU = re.compile(
    rf"\bMFU\b[^\d\n]{{0,24}}{_NUMBER}\s*%|{_NUMBER.replace('value', 'before')}\s*%\s*MFU", re.IGNORECASE
)
_MOST = 256
_DENOMINATOR = {"dev": "device", "device": "device", "chip": "chip", "gpu": "gpu", "core": "core"}


def _add(quantity: str, found: re.Match[str], number: int, observation: Observation) -> None:
    value = float(found["value"].replace(",", "")) * _PREFIX[found["prefix"].lower()]
    per = _DENOMINATOR.get((found["per"] or "").lower(), "")
    observation.figures.append(Figure(quantity, value, per, number))


def _read(line: str, number: int, observation: Observation) -> None:
    if len(observation.figures) >= _MOST:
        return
    for pattern, quantity in (
        (_FLOP_RATE, "flop_rate"),
        (_LABELLED_FLOP_RATE, "flop_rate"),
        (_TOKEN_RATE, "token_rate"),
    ):
        for found in pattern.finditer(line):
            _add(quantity, found, number, observation)
    for found in _MFU.finditer(line):
        observation.mfu.add(float((found["value"] or found["before"]).replace(",", "")) / 100)
        observation.seen("mfu", number)


READERS = (Reader("figures", ("FLOP", "flop", "tok", "MFU", "mfu"), _read),)

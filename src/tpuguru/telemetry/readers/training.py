"""Step lines of trainers: MaxText, TorchTitan, Megatron and what builds on it (slime, Relax)."""

import re

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import Reader

_NUMBER = r"([-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|nan|inf|NaN|Inf))"
TERA = 1e12

_MAXTEXT = re.compile(r"completed step: (\d+)")
_MAXTEXT_FIELDS = (
    ("step_seconds", re.compile(rf"\bseconds: {_NUMBER}"), 1.0),
    ("flop_rate", re.compile(rf"TFLOP/s/device: {_NUMBER}"), TERA),
    ("token_rate", re.compile(rf"Tokens/s/device: {_NUMBER}"), 1.0),
    ("loss", re.compile(rf"\bloss: {_NUMBER}"), 1.0),
)
_MEGATRON_FIELDS = (
    ("step_seconds", re.compile(rf"elapsed time per iteration \(ms\): {_NUMBER}"), 1e-3),
    ("flop_rate", re.compile(rf"throughput per GPU \(TFLOP/s/GPU\): {_NUMBER}"), TERA),
    ("loss", re.compile(rf"\blm loss: {_NUMBER}"), 1.0),
    ("grad_norm", re.compile(rf"\bgrad norm: {_NUMBER}"), 1.0),
)
_TITAN = re.compile(r"\bstep:\s*\d+\s+loss:")
_TITAN_FIELDS = (
    ("loss", re.compile(rf"\bloss:\s*{_NUMBER}"), 1.0),
    ("grad_norm", re.compile(rf"\bgrad_norm:\s*{_NUMBER}"), 1.0),
    ("token_rate", re.compile(rf"\btps:\s*{_NUMBER}"), 1.0),
    ("flop_rate", re.compile(rf"\btflops:\s*{_NUMBER}"), TERA),
    ("mfu", re.compile(rf"\bmfu:\s*{_NUMBER}%"), 0.01),
)
_DICTIONARY_FIELDS = (
    ("loss", re.compile(rf"'(?:train/)?loss':\s*{_NUMBER}"), 1.0),
    ("grad_norm", re.compile(rf"'(?:train/)?grad_norm':\s*{_NUMBER}"), 1.0),
    ("step_seconds", re.compile(rf"'perf/step_time':\s*{_NUMBER}"), 1.0),
    ("flop_rate", re.compile(rf"'perf/actor_train_tflops':\s*{_NUMBER}"), TERA),
)
type _Fields = tuple[tuple[str, re.Pattern[str], float], ...]


def _take(fields: _Fields, line: str, number: int, observation: Observation) -> None:
    for name, pattern, scale in fields:
        if found := pattern.search(line):
            getattr(observation, name).add(float(found.group(1).replace(",", "")) * scale)
            observation.seen(name, number)


def _read_maxtext(line: str, number: int, observation: Observation) -> None:
    if _MAXTEXT.search(line):
        observation.recognised("maxtext", number)
        observation.flop_rate_per = "device"
        _take(_MAXTEXT_FIELDS, line, number, observation)


def _read_megatron(line: str, number: int, observation: Observation) -> None:
    observation.recognised("megatron", number)
    observation.flop_rate_per = "gpu"
    _take(_MEGATRON_FIELDS, line, number, observation)


def _read_torchtitan(line: str, number: int, observation: Observation) -> None:
    if _TITAN.search(line):
        observation.recognised("torchtitan", number)
        observation.flop_rate_per = "device"
        _take(_TITAN_FIELDS, line, number, observation)


def _read_dictionary(line: str, number: int, observation: Observation) -> None:
    observation.recognised("slime or relax", number)
    _take(_DICTIONARY_FIELDS, line, number, observation)


READERS = (
    Reader("maxtext", (b"completed step:",), _read_maxtext),
    Reader("megatron", (b"elapsed time per iteration",), _read_megatron),
    Reader("torchtitan", (b"grad_norm:", b" tps:"), _read_torchtitan),
    Reader("dictionary", (b"'train/loss'", b"'train/grad_norm'", b"'perf/"), _read_dictionary),
)

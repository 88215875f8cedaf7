"""Step lines of trainers: MaxText, TorchTitan, Megatron and what builds on it (slime, Relax).

A log can hold millions of step lines, so each field is collected from a whole block by one expression.
"""

import re
from dataclasses import dataclass

from tpuguru.telemetry.observation import Observation

TERA = 1e12
_NUMBER = rb"([-+]?\d[\d.]*(?:,\d{3}[\d.,]*)?(?:[eE][-+]?\d+)?|[nN]a[nN]|-?[iI]nf)"


@dataclass(frozen=True, slots=True)
class StepFormat:
    """One trainer's step line: how to know it, what its FLOP/s are per, and which series its fields feed."""

    name: str
    anchors: tuple[bytes, ...]
    flop_rate_per: str
    fields: tuple[tuple[str, re.Pattern[bytes], float], ...]  # series, expression, factor to base units


def _field(
    series: str, before: bytes, factor: float = 1.0, after: bytes = b""
) -> tuple[str, re.Pattern[bytes], float]:
    return series, re.compile(before + _NUMBER + after), factor


FORMATS = (
    StepFormat(
        "maxtext",
        (b"completed step:",),
        "device",
        (
            _field("step_seconds", rb"completed step: \d+, seconds: "),
            _field("flop_rate", rb"TFLOP/s/device: ", TERA),
            _field("token_rate", rb"Tokens/s/device: "),
            _field("loss", rb", loss: "),
        ),
    ),
    StepFormat(
        "megatron",
        (b"elapsed time per iteration",),
        "gpu",
        (
            _field("step_seconds", rb"elapsed time per iteration \(ms\): ", 1e-3),
            _field("flop_rate", rb"throughput per GPU \(TFLOP/s/GPU\): ", TERA),
            _field("loss", rb"\| lm loss: "),
            _field("grad_norm", rb"\| grad norm: "),
        ),
    ),
    StepFormat(
        "torchtitan",
        (b"grad_norm: ", b" tps: "),
        "device",
        (
            _field("loss", rb"step: +\d+ +loss: +"),
            _field("grad_norm", rb"grad_norm: +"),
            _field("token_rate", rb" tps: +"),
            _field("flop_rate", rb" tflops: +", TERA),
            _field("mfu", rb" mfu: +", 0.01, rb"%"),
        ),
    ),
    StepFormat(
        "slime or relax",
        (b"'train/loss'", b"'train/grad_norm'", b"'perf/"),
        "gpu",
        (
            _field("loss", rb"'train/loss': "),
            _field("grad_norm", rb"'train/grad_norm': "),
            _field("step_seconds", rb"'perf/step_time': "),
            _field("flop_rate", rb"'perf/actor_train_tflops': ", TERA),
        ),
    ),
)


def read_steps(block: bytes, first_line: int, observation: Observation) -> int:
    """Collect the step lines of a block that starts at ``first_line``; return how many there are."""
    steps = 0
    for step_format in FORMATS:
        positions = [at for anchor in step_format.anchors if (at := block.find(anchor)) >= 0]
        if positions:
            line = first_line + block.count(b"\n", 0, min(positions))
            steps += _collect(step_format, block, line, observation)
    return steps


def _collect(step_format: StepFormat, block: bytes, line: int, observation: Observation) -> int:
    most = 0
    for series, expression, factor in step_format.fields:
        values = _numbers(expression.findall(block), factor)
        if values:
            most = max(most, len(values))
            getattr(observation, series).extend(values)
            observation.seen(series, line)
            if series == "flop_rate":
                observation.flop_rate_per = step_format.flop_rate_per
    if most:
        observation.recognised(step_format.name, line)
    return most


def _numbers(texts: list[bytes], factor: float) -> list[float]:
    try:
        values = list(map(float, texts))
    except ValueError:  # thousands separators, or the comma that ends the field
        values = [_number(text) for text in texts]
    return values if factor == 1.0 else [value * factor for value in values]


def _number(text: bytes) -> float:
    try:
        return float(text.rstrip(b",.-+eE").replace(b",", b""))
    except ValueError:
        return float("nan")

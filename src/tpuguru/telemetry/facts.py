"""Turn what was observed into OBSERVED facts with line numbers."""

import re

from tpuguru.base.location import Location
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Record, Scalar, Unknown, Value
from tpuguru.hardware.chips import Chip, find_chip
from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.scan import Scan

_SHORT_TEXT = 8_000
_PLAIN_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")
_NOT_A_NUMBER = Unknown("not a number")


class _Facts:
    """Puts observed facts that have a value, each with the line it was first seen on."""

    def __init__(self, path: str, observation: Observation) -> None:
        self.facts = Facts()
        self._path = path
        self._lines = observation.first_lines

    def put(self, name: str, value: FactValue | None, *, line: int | None = None) -> None:
        if value is None or value == "":
            return
        number = line or self._lines.get(name)
        where = Location(self._path, number) if number else None
        origin = Origin(OriginKind.OBSERVED, self._path, where)
        self.facts.put(f"observed.{name}", Value(value, origin))


def observed_facts(scan: Scan, path: str) -> Facts:
    """Return the OBSERVED facts of a scan; what was not seen stays unknown."""
    seen = scan.observation
    out = _Facts(path, seen)
    out.put("text", scan.excerpt.text(), line=1)
    out.put("formats", tuple(seen.formats))
    _put_series(out, seen)
    _put_errors(out, seen)
    out.put("settings", tuple(_setting(quoted.key, quoted.value, quoted.line) for quoted in seen.settings))
    out.put("numbers", _plain_numbers(scan.excerpt.text()))
    out.put("memory", tuple(_memory(seen)))
    out.put("figures", tuple(_figures(seen)))
    _put_accelerator(out, seen)
    return out.facts


def _put_series(out: _Facts, seen: Observation) -> None:
    steps = seen.step_seconds
    if steps.count:
        out.put("steps", steps.count, line=out_line(seen, "step_seconds"))
        out.put("step_seconds", steps.median(skip_first=True))
        out.put("step_seconds_first", steps.first, line=out_line(seen, "step_seconds"))
        out.put("step_seconds_worst", steps.highest_after_first, line=out_line(seen, "step_seconds"))
        started = out_line(seen, "step_seconds") or 0
        late = [line for line in seen.compile_lines if line > started]
        out.put("compiles_after_start", len(late), line=late[0] if late else None)
    out.put("flop_rate", seen.flop_rate.median(skip_first=True))
    out.put("flop_rate_per", seen.flop_rate_per if seen.flop_rate.count else None)
    rates = [figure.value for figure in seen.figures if figure.quantity == "flop_rate"]
    highest = max([*rates, *([seen.flop_rate.highest] if seen.flop_rate.highest else [])], default=None)
    out.put("flop_rate_highest", highest, line=_line_of_rate(seen, highest))
    out.put("token_rate", seen.token_rate.median())
    out.put("mfu", seen.mfu.highest)
    if seen.loss.count:
        out.put("loss_first", seen.loss.first, line=out_line(seen, "loss"))
        out.put("loss_last", seen.loss.last, line=out_line(seen, "loss"))
        out.put("loss_zero_steps", seen.loss.zeros, line=out_line(seen, "loss"))
        out.put("loss_not_finite_steps", seen.loss.not_finite, line=out_line(seen, "loss"))
    out.put("grad_norm_first", seen.grad_norm.first, line=out_line(seen, "grad_norm"))
    out.put("grad_norm_last", seen.grad_norm.last, line=out_line(seen, "grad_norm"))
    out.put("prefix_cache_hit_rate", seen.hit_rate.highest)
    out.put("latency_median", seen.latency_median)
    out.put("latency_p99", seen.latency_p99)
    out.put("requests", seen.requests)


def out_line(seen: Observation, name: str) -> int | None:
    """Return the line on which a series was first seen."""
    return seen.first_lines.get(name)


def _line_of_rate(seen: Observation, highest: float | None) -> int | None:
    return next(
        (figure.line for figure in seen.figures if figure.value == highest), seen.first_lines.get("flop_rate")
    )


def _put_errors(out: _Facts, seen: Observation) -> None:
    out.put("error_codes", tuple(seen.error_codes))
    out.put("error_status", seen.error_status)
    out.put("exception", seen.exception)
    out.put("failing_op", seen.failing_op)
    out.put("failing_shape", seen.failing_shape)


def _plain_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers that stand alone in a paste; none for a long one, where they mean little."""
    if len(text) > _SHORT_TEXT:
        return ()
    return tuple(float(found.replace(",", "")) for found in _PLAIN_NUMBER.findall(text))


def _setting(key: str, value: str, line: int) -> Record:
    return {"key": key, "value": value, "number": _number(value), "line": line}


def _number(text: str) -> Scalar | Unknown:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return _NOT_A_NUMBER


def _memory(seen: Observation) -> list[Record]:
    return [
        {"space": item.space, "used": item.used, "limit": item.limit, "line": item.line}
        for item in seen.memory
    ]


def _figures(seen: Observation) -> list[Record]:
    return [
        {"quantity": item.quantity, "value": item.value, "per": item.per, "line": item.line}
        for item in seen.figures
    ]


def _put_accelerator(out: _Facts, seen: Observation) -> None:
    named = [(chip, line) for name, line in seen.accelerator_names if (chip := _chip(name))]
    distinct = {chip.name: (chip, line) for chip, line in reversed(named)}
    out.put("accelerators", tuple(_accelerator(chip, line) for chip, line in reversed(distinct.values())))
    for chip, line in named[:1]:
        out.put("accelerator", chip.name, line=line)
        out.put("peak_flops", chip.peak_flops_per_device("bf16"), line=line)
        out.put("peak_flops_per_chip", chip.peak_flops.get("bf16"), line=line)
        out.put("hbm_per_device", float(chip.hbm_per_device), line=line)


def _accelerator(chip: Chip, line: int) -> Record:
    peak = chip.peak_flops_per_device("bf16")
    return {
        "name": chip.name,
        "hbm": float(chip.hbm_per_device),
        "peak_flops": peak if peak is not None else Unknown("no source states it"),
        "line": line,
    }


def _chip(name: str) -> Chip | None:
    """Resolve a spelling with or without its size: ``v6e-64`` → v6e."""
    plain = name.strip().lower()
    return find_chip(plain) or find_chip(plain.split("-")[0].split(":")[0])

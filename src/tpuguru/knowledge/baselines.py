"""Published figures, and how a quoted figure compares with them and with the hardware's peak."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.knowledge.claim import Row, Table

FIGURE_COLUMNS = (
    "id", "model", "hardware", "chips", "devices", "precision", "config", "value", "unit", "per", "status",
    "why", "source", "date",
)  # fmt: skip
PEAK_COLUMNS = ("hardware", "aliases", "devices per chip", "bf16", "fp8", "int8", "source", "date")
_MATCH_TOLERANCE = 0.10


class FigureStatus(StrEnum):
    """Whether a published figure may be quoted."""

    VALID = "valid"
    SUPERSEDED = "superseded"
    VOID = "void"


class FigureVerdict(StrEnum):
    """How a quoted figure stands."""

    IMPOSSIBLE = "impossible"
    ABOVE = "above what was published"
    WITHIN = "within what was published"
    BELOW = "below what was published"
    NO_BASELINE = "no published figure to compare with"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A published throughput figure. ``per`` is device, chip or slice; ``unit`` as published."""

    id: str
    model: str
    hardware: str
    chips: int | None
    devices: int | None
    precision: str
    config: str
    value: float
    unit: str
    per: str
    status: FigureStatus
    why: str
    source: str
    date: str
    location: Location


@dataclass(frozen=True, slots=True)
class Peak:
    """Dense peak TFLOP/s per chip by number format; None where the chip has no faster path for it."""

    hardware: str
    aliases: tuple[str, ...]
    devices_per_chip: int
    bf16: float
    fp8: float | None
    int8: float | None
    source: str
    date: str
    location: Location


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """The verdict on a quoted figure, with what it was compared against and what to check next."""

    verdict: FigureVerdict
    value: float
    unit: str
    per: str
    peak: float | None
    share_of_peak: float | None
    compared: tuple[Baseline, ...]
    notes: tuple[str, ...]


def read_baselines(table: Table) -> tuple[Baseline, ...]:
    """Return the figures of the table ``figures``. Raises UsageError with the row."""
    _columns(table, FIGURE_COLUMNS)
    return tuple(_baseline(row) for row in table.rows)


def read_peaks(table: Table) -> tuple[Peak, ...]:
    """Return the peaks of the table ``peaks``. Raises UsageError with the row."""
    _columns(table, PEAK_COLUMNS)
    return tuple(
        Peak(
            hardware=row.cells["hardware"],
            aliases=tuple(alias.strip() for alias in row.cells["aliases"].split(";") if alias.strip()),
            devices_per_chip=int(_number(row, "devices per chip")),
            bf16=_number(row, "bf16"),
            fp8=_optional(row, "fp8"),
            int8=_optional(row, "int8"),
            source=row.cells["source"],
            date=row.cells["date"],
            location=row.location,
        )
        for row in table.rows
    )


def find_peak(peaks: Iterable[Peak], hardware: str) -> Peak | None:
    """Return the chip that ``hardware`` (a chip, slice or accelerator name) names."""
    wanted = _squash(hardware)
    names = [(_squash(name), peak) for peak in peaks for name in (peak.hardware, *peak.aliases)]
    for name, peak in sorted(names, key=lambda entry: -len(entry[0])):
        if wanted.startswith(name):
            return peak
    return None


def check_figure(
    baselines: Iterable[Baseline],
    peaks: Iterable[Peak],
    quoted: tuple[str, str, float, str],
    *,
    per: str = "",
    number_format: str = "bf16",
) -> FigureCheck:
    """Compare a quoted figure (model, hardware, value, unit) with the published ones and with the peak.

    ``unit`` is TFLOP/s, tok/s or MFU (percent); ``per`` is device or chip (empty: both are considered).
    A rate above the peak of a whole chip is impossible whatever was meant.
    """
    model, hardware, value, unit = quoted
    peak = find_peak(peaks, hardware)
    ceiling = _ceiling(peak, per, number_format)
    same = _comparable(baselines, peak, (model, hardware, unit), number_format)
    valid = [_value_per(item, per, peak) for item in same if item.status is FigureStatus.VALID]
    notes = [*_denominator_notes(peak, value, unit, per, number_format), *_status_notes(same)]
    rate = unit == "TFLOP/s"
    limit = ceiling if rate else (100.0 if unit == "MFU" else None)
    return FigureCheck(
        verdict=_verdict(value, limit, valid),
        value=value,
        unit=unit,
        per=per,
        peak=ceiling if rate else None,
        share_of_peak=value / ceiling if rate and ceiling else None,
        compared=tuple(same),
        notes=tuple(notes),
    )


def _verdict(value: float, limit: float | None, valid: list[float]) -> FigureVerdict:
    if limit is not None and value > limit:
        return FigureVerdict.IMPOSSIBLE
    if not valid:
        return FigureVerdict.NO_BASELINE
    if value > max(valid) * (1 + _MATCH_TOLERANCE):
        return FigureVerdict.ABOVE
    return FigureVerdict.BELOW if value < min(valid) * (1 - _MATCH_TOLERANCE) else FigureVerdict.WITHIN


def _value_per(baseline: Baseline, per: str, peak: Peak | None) -> float:
    """Return a published value per device or per chip, as asked."""
    devices = peak.devices_per_chip if peak else 1
    if per in ("", baseline.per):
        return baseline.value
    return baseline.value / devices if per == "device" else baseline.value * devices


def _ceiling(peak: Peak | None, per: str, number_format: str) -> float | None:
    if peak is None:
        return None
    chip = {"fp8": peak.fp8, "int8": peak.int8}.get(number_format) or peak.bf16
    return chip / peak.devices_per_chip if per == "device" else chip


def _comparable(
    baselines: Iterable[Baseline], peak: Peak | None, asked: tuple[str, str, str], number_format: str
) -> list[Baseline]:
    model, hardware, unit = asked
    chip = _squash(peak.hardware) if peak else _squash(hardware)
    return [
        baseline
        for baseline in baselines
        if _squash(baseline.model) == _squash(model)
        and _squash(baseline.hardware).startswith(chip)
        and baseline.unit == unit
        and baseline.precision == number_format
    ]


def _denominator_notes(peak: Peak | None, value: float, unit: str, per: str, number_format: str) -> list[str]:
    """Return what a wrong denominator would explain: device or chip, number format."""
    if peak is None or unit != "TFLOP/s":
        return []
    notes = []
    device = peak.bf16 / peak.devices_per_chip
    if peak.devices_per_chip > 1 and not per:
        notes.append(
            f"{peak.hardware} has {peak.devices_per_chip} devices a chip: say whether the figure is per chip "
            f"(peak {peak.bf16:g} bf16) or per device (peak {device:g})"
        )
    if peak.devices_per_chip > 1 and per == "device" and value > device:
        notes.append(
            f"{value:g} exceeds one device's {device:g} but not a chip's {peak.bf16:g}: is it per chip?"
        )
    if number_format == "bf16" and value > peak.bf16:
        faster = [name for name, rate in (("fp8", peak.fp8), ("int8", peak.int8)) if rate and rate >= value]
        if faster:
            notes.append(f"possible only if the matmuls ran in {' or '.join(faster)}")
    return notes


def _status_notes(same: list[Baseline]) -> list[str]:
    return [
        f"do not compare with {baseline.id} ({baseline.value:g} {baseline.unit}): "
        f"{baseline.status}, {baseline.why}"
        for baseline in same
        if baseline.status is not FigureStatus.VALID
    ]


def _baseline(row: Row) -> Baseline:
    cells = row.cells
    if cells["status"] not in set(FigureStatus):
        raise UsageError(
            f"{cells['status']!r} is not a status",
            location=row.location,
            help=f"one of {', '.join(FigureStatus)}",
        )
    status = FigureStatus(cells["status"])
    if status is not FigureStatus.VALID and not cells["why"]:
        raise UsageError(f"the {status} figure {cells['id']} does not say why", location=row.location)
    chips, devices = _optional(row, "chips"), _optional(row, "devices")
    return Baseline(
        id=cells["id"],
        model=cells["model"],
        hardware=cells["hardware"],
        chips=int(chips) if chips else None,
        devices=int(devices) if devices else None,
        precision=cells["precision"],
        config=cells["config"],
        value=_number(row, "value"),
        unit=cells["unit"],
        per=cells["per"],
        status=status,
        why=cells["why"],
        source=cells["source"],
        date=cells["date"],
        location=row.location,
    )


def _columns(table: Table, expected: tuple[str, ...]) -> None:
    if table.columns != expected:
        raise UsageError(
            f"the table {table.name} has other columns than it should",
            location=table.location,
            help=f"| {' | '.join(expected)} |",
        )


def _number(row: Row, column: str) -> float:
    try:
        return float(row.cells[column])
    except ValueError:
        raise UsageError(
            f"{row.cells[column]!r} in column {column!r} is not a number", location=row.location
        ) from None


def _optional(row: Row, column: str) -> float | None:
    return _number(row, column) if row.cells[column] not in ("", "-") else None


def _squash(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())

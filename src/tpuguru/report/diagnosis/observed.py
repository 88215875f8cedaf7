"""Observed facts as lines of a report: value, unit, and the line they were read from."""

from collections.abc import Iterable, Iterator

from tpuguru.base.units import format_bytes
from tpuguru.facts.factset import Facts
from tpuguru.facts.schema import Field, Stage, Unit
from tpuguru.facts.value import Record, Scalar, Unknown, Value
from tpuguru.report.contracts.diagnosis import ObservedRecord

_LISTED = 6
# Facts that serve rules and mean nothing to a reader.
_NOT_SHOWN = frozenset({"observed.text", "observed.numbers", "observed.settings"})


def observed_records(facts: Facts) -> Iterator[ObservedRecord]:
    """Yield every observed fact that says something."""
    for name, value in facts:
        field = facts.schema.get(name)
        if field is None or field.stage is not Stage.OBSERVED or name in _NOT_SHOWN or value.value == ():
            continue
        place = value.origin.location
        yield ObservedRecord(name, _shown(value, field), place.line if place else None)


def _shown(value: Value, field: Field) -> str:
    content = value.value
    if isinstance(content, Unknown):
        return f"unknown: {content.reason}"
    if isinstance(content, tuple):
        shown = [_item(item, field) for item in content[:_LISTED]]
        return "; ".join(shown) + (f"; {len(content) - _LISTED} more" if len(content) > _LISTED else "")
    if isinstance(content, float | int) and not isinstance(content, bool):
        return _with_unit(float(content), field.unit)
    return str(content)


def _item(item: Scalar | Record, field: Field) -> str:
    if isinstance(item, int | float | str):
        return f"{item:,.4g}" if isinstance(item, int | float) else item
    return ", ".join(_parts(item, field.fields))


def _parts(record: Record, fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        content = record.get(field.name)
        if field.name == "line" or content is None or content == "" or isinstance(content, Unknown):
            continue
        text = _with_unit(content, field.unit) if isinstance(content, float) else str(content)
        yield f"{field.name} {text}"


def _with_unit(number: float, unit: Unit) -> str:
    if unit is Unit.BYTES:
        return format_bytes(number)
    if unit is Unit.FLOPS_PER_SECOND:
        return f"{number / 1e12:,.2f} TFLOP/s"
    if unit is Unit.FRACTION:
        return f"{100 * number:.1f} %"
    return f"{number:,.4g} {unit}".rstrip()

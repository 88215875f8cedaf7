"""The facts a verdict rests on, as a reader sees them: value, unit, place."""

from collections.abc import Iterator

from tpuguru.base.location import Location
from tpuguru.base.redaction import redact
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Evidence
from tpuguru.facts.origin import Origin
from tpuguru.facts.schema import Unit, Vocabulary
from tpuguru.facts.value import FactValue, Unknown
from tpuguru.rules.language.dimensions import dimension_of, format_quantity
from tpuguru.rules.language.scope import Scope, TextMatch

_MAX_SHOWN = 160
_MAX_LIST = 6
_COUNTED = {Unit.TOKENS, Unit.CHIPS, Unit.DEVICES, Unit.CORES, Unit.HOSTS, Unit.PARAMETERS}
_MAX_INPUT_DEPTH = 6


def evidence_of(scope: Scope) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each fact that the last expression read, in the order of reading."""
    matched = {match.fact: match for match in scope.matches}
    return tuple(_evidence(name, matched.get(name), scope.facts) for name in dict.fromkeys(scope.reads))


def _evidence(name: str, match: TextMatch | None, facts: Facts) -> Evidence:
    value = facts.get(name)
    if match is not None and isinstance(value.value, str):
        return _matched_line(name, value.value, match, value.origin)
    return Evidence(name, show_value(name, value.value, facts.schema), value.origin)


def _matched_line(name: str, text: str, match: TextMatch, origin: Origin) -> Evidence:
    """Quote the line that a text test matched, at its own line number in what was pasted."""
    start = text.rfind("\n", 0, match.start) + 1
    end = text.find("\n", match.start)
    line = text[start : end if end >= 0 else len(text)].strip()
    base = origin.location
    place = (
        Location(base.path, base.line + text.count("\n", 0, match.start), match.start - start + 1)
        if base
        else None
    )
    return Evidence(name, _shortened(line), Origin(origin.kind, origin.detail, place, origin.inputs))


def show_value(name: str, value: FactValue | Unknown, schema: Vocabulary) -> str:
    """Render a fact's value with its unit; secrets are redacted and long texts cut."""
    field = schema.get(name)
    unit = field.unit if field else Unit.NONE
    if isinstance(value, Unknown):
        return f"unknown ({value.reason})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value, unit)
    if isinstance(value, str):
        return _shortened(value) or '""'
    return _list(value, unit)


def _number(value: float, unit: Unit) -> str:
    text = format_quantity(value, dimension_of(unit))
    return f"{text} {unit.value}" if unit in _COUNTED else text


def _list(values: tuple[object, ...], unit: Unit) -> str:
    if not values:
        return "none"
    if not isinstance(values[0], str | int | float):
        return f"{len(values)} {'entry' if len(values) == 1 else 'entries'}"
    shown = [
        _number(value, unit) if isinstance(value, int | float) else str(value) for value in values[:_MAX_LIST]
    ]
    return _shortened(", ".join(shown) + (" …" if len(values) > _MAX_LIST else ""))


def _shortened(text: str) -> str:
    clean = redact(" ".join(text.split()))
    return clean if len(clean) <= _MAX_SHOWN else clean[: _MAX_SHOWN - 1] + "…"


def places_of(name: str, facts: Facts, depth: int = 0) -> Iterator[Location]:
    """Yield where a fact was written; for a derived one, where the facts it was computed from were."""
    if name not in facts.schema or depth > _MAX_INPUT_DEPTH:
        return
    origin = facts.get(name).origin
    if origin.location is not None:
        yield origin.location
    for source in origin.inputs:
        yield from places_of(source, facts, depth + 1)

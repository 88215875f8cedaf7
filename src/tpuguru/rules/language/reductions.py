"""The functions that take ``… for x in list``, in three values."""

from collections.abc import Callable, Iterator

from tpuguru.rules.language.closures import Evaluate
from tpuguru.rules.language.missing import Missing, missing_reason
from tpuguru.rules.language.scope import Scope


def reduction(
    name: str, variable: str, items: Evaluate, condition: Evaluate | None, element: Evaluate
) -> Evaluate:
    """Return the function that reduces ``element`` over the ``items`` that pass ``condition``."""
    reduce = _REDUCERS[name]

    def evaluate(scope: Scope) -> object:
        container = items(scope)
        if isinstance(container, Missing):
            return container
        shadowed = scope.locals.get(variable)
        try:
            return reduce(_elements(scope, variable, container, condition, element))
        finally:
            scope.locals[variable] = shadowed

    return evaluate


def _elements(
    scope: Scope, variable: str, container: object, condition: Evaluate | None, element: Evaluate
) -> Iterator[tuple[object, object]]:
    """Yield (whether the item is meant, its value); each may be Missing."""
    for item in container:  # type: ignore[attr-defined]
        scope.locals[variable] = item
        meant = condition(scope) if condition else True
        if meant is not False:
            yield meant, element(scope)


def _any(elements: Iterator[tuple[object, object]]) -> object:
    missing: Missing | None = None
    for meant, value in elements:
        if value is False:
            continue
        undecided = meant if isinstance(meant, Missing) else value
        if not isinstance(undecided, Missing):
            return True
        missing = missing.joined(undecided) if missing else undecided
    return False if missing is None else missing


def _all(elements: Iterator[tuple[object, object]]) -> object:
    missing: Missing | None = None
    for meant, value in elements:
        if value is True:
            continue
        undecided = meant if isinstance(meant, Missing) else value
        if not isinstance(undecided, Missing):
            return False
        missing = missing.joined(undecided) if missing else undecided
    return True if missing is None else missing


def _collect(elements: Iterator[tuple[object, object]]) -> list[object] | Missing:
    missing: Missing | None = None
    values: list[object] = []
    for meant, value in elements:
        for part in (meant, value):
            if isinstance(part, Missing):
                missing = missing.joined(part) if missing else part
        values.append(value)
    return values if missing is None else missing


def _count(elements: Iterator[tuple[object, object]]) -> object:
    values = _collect(elements)
    return values if isinstance(values, Missing) else sum(1 for value in values if value)


def _sum(elements: Iterator[tuple[object, object]]) -> object:
    values = _collect(elements)
    return values if isinstance(values, Missing) else sum(values)  # type: ignore[arg-type]


def _extreme(
    choose: Callable[[list[object]], object], word: str
) -> Callable[[Iterator[tuple[object, object]]], object]:
    def reduce(elements: Iterator[tuple[object, object]]) -> object:
        values = _collect(elements)
        if isinstance(values, Missing):
            return values
        return choose(values) if values else missing_reason(f"the {word} of nothing")

    return reduce


def _first(elements: Iterator[tuple[object, object]]) -> object:
    for meant, value in elements:
        return meant if isinstance(meant, Missing) else value
    return missing_reason("nothing in the list passes the test")


def _join(elements: Iterator[tuple[object, object]]) -> object:
    values = _collect(elements)
    return values if isinstance(values, Missing) else ", ".join(str(value) for value in values)


_REDUCERS: dict[str, Callable[[Iterator[tuple[object, object]]], object]] = {
    "any": _any,
    "all": _all,
    "count": _count,
    "sum": _sum,
    "max": _extreme(max, "largest"),  # type: ignore[arg-type]
    "min": _extreme(min, "smallest"),  # type: ignore[arg-type]
    "first": _first,
    "join": _join,
}

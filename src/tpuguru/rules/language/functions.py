"""The functions of the rule language: what they take, what they give, what they do."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from tpuguru.rules.language.dimensions import BYTES, PLAIN, Dimension
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.kinds import BOOLEAN, NUMBER, TEXT, Base, Kind
from tpuguru.rules.language.missing import missing_reason

type Check = Callable[[Sequence[Kind]], Kind]


@dataclass(frozen=True, slots=True)
class Function:
    """A function on known values: how many arguments, the type of its result, and the computation."""

    usage: str
    summary: str
    arity: tuple[int, int]
    check: Check
    apply: Callable[..., object]


def compatible(left: Kind, right: Kind) -> bool:
    """Tell whether two numbers may be compared or added: same measure, and not two different counts."""
    if 0 in (left.literal, right.literal):
        return True
    first, second = left.dimension, right.dimension
    same_measure = first._replace(counted="") == second._replace(counted="")
    return same_measure and (not first.counted or not second.counted or first.counted == second.counted)


def require_numbers(kinds: Sequence[Kind], what: str) -> None:
    """Raise ExpressionError unless every type is a number."""
    for kind in kinds:
        if kind.base is not Base.NUMBER:
            raise ExpressionError(f"{what} needs numbers; this is {kind}")


def common_number(kinds: Sequence[Kind], what: str) -> Kind:
    """Return the type of numbers that belong together. ExpressionError when they measure different things."""
    require_numbers(kinds, what)
    first = kinds[0]
    for kind in kinds[1:]:
        if not compatible(first, kind):
            raise ExpressionError(f"{what} mixes {first} and {kind}")
        if first.literal == 0 or (not first.dimension.counted and kind.dimension.counted):
            first = kind
    return first.without_literal()


def _list_or_numbers(what: str) -> Check:
    def check(kinds: Sequence[Kind]) -> Kind:
        if len(kinds) == 1:
            element = kinds[0].element if kinds[0].base is Base.LIST else None
            if element is None:
                raise ExpressionError(f"{what} of one value needs a list; this is {kinds[0]}")
            return common_number([element], what)
        return common_number(kinds, what)

    return check


def _numbers_of_list(what: str) -> Check:
    def check(kinds: Sequence[Kind]) -> Kind:
        if kinds[0].base is not Base.LIST or kinds[0].element is None:
            raise ExpressionError(f"{what} needs a list; this is {kinds[0]}")
        return common_number([kinds[0].element], what)

    return check


def _product(kinds: Sequence[Kind]) -> Kind:
    if _numbers_of_list("prod")(kinds).dimension.measured:
        raise ExpressionError("prod needs plain numbers or counts")
    return NUMBER


def _length(kinds: Sequence[Kind]) -> Kind:
    if kinds[0].base not in (Base.LIST, Base.TEXT):
        raise ExpressionError(f"len needs a list or a text; this is {kinds[0]}")
    return NUMBER


def _near(kinds: Sequence[Kind]) -> Kind:
    common_number(kinds[:2], "near")
    require_numbers(kinds[2:], "the tolerance of near")
    if kinds[2].dimension != PLAIN:
        raise ExpressionError(f"the tolerance of near is a fraction such as 0.05; this is {kinds[2]}")
    return BOOLEAN


def _texts(result: Kind) -> Check:
    def check(kinds: Sequence[Kind]) -> Kind:
        for kind in kinds:
            if kind.base is not Base.TEXT:
                raise ExpressionError(f"a text is needed here; this is {kind}")
        return result

    return check


def _contains(kinds: Sequence[Kind]) -> Kind:
    container, item = kinds
    element = container.element if container.base is Base.LIST else container
    if element is None or element.base is not item.base or item.base not in (Base.TEXT, Base.NUMBER):
        raise ExpressionError(
            f"contains looks for a text in a text or an element in a list, not {item} in {container}"
        )
    return BOOLEAN


def _same_number(kinds: Sequence[Kind]) -> Kind:
    require_numbers(kinds, "this function")
    return kinds[0].without_literal()


def _logarithm(kinds: Sequence[Kind]) -> Kind:
    require_numbers(kinds, "log2")
    return NUMBER


def _as_dimension(dimension: Dimension) -> Check:
    def check(kinds: Sequence[Kind]) -> Kind:
        require_numbers(kinds, "this conversion")
        if dimension == BYTES and kinds[0].dimension.measured:
            raise ExpressionError(f"bytes() takes a plain number or a count; this is {kinds[0]}")
        return replace(NUMBER, dimension=dimension)

    return check


def _join(kinds: Sequence[Kind]) -> Kind:
    element = kinds[0].element if kinds[0].base is Base.LIST else None
    if element is None or element.base not in (Base.TEXT, Base.NUMBER):
        raise ExpressionError(f"join needs a list of texts or numbers; this is {kinds[0]}")
    return _texts(TEXT)(kinds[1:])


def _maximum(*values: object) -> object:
    items = values[0] if len(values) == 1 else values
    return max(items) if items else missing_reason("the largest of an empty list")  # type: ignore[call-overload]


def _minimum(*values: object) -> object:
    items = values[0] if len(values) == 1 else values
    return min(items) if items else missing_reason("the smallest of an empty list")  # type: ignore[call-overload]


def _log2(value: float) -> object:
    return math.log2(value) if value > 0 else missing_reason("the logarithm of a number that is not positive")


def _join_values(items: Sequence[object], separator: str = ", ") -> str:
    return separator.join(str(item) for item in items)


FUNCTIONS: dict[str, Function] = {
    "len": Function("len(list)", "how many elements", (1, 1), _length, len),
    "sum": Function("sum(list)", "the sum", (1, 1), _numbers_of_list("sum"), sum),
    "prod": Function("prod(list)", "the product", (1, 1), _product, math.prod),
    "max": Function("max(a, b) or max(list)", "the largest", (1, 8), _list_or_numbers("max"), _maximum),
    "min": Function("min(a, b) or min(list)", "the smallest", (1, 8), _list_or_numbers("min"), _minimum),
    "near": Function(
        "near(x, y, 0.05)",
        "whether x is within that fraction of y",
        (3, 3),
        _near,
        lambda value, target, tolerance: abs(value - target) <= tolerance * abs(target),
    ),
    "abs": Function("abs(x)", "without the sign", (1, 1), _same_number, abs),
    "ceil": Function("ceil(x)", "rounded up", (1, 1), _same_number, math.ceil),
    "floor": Function("floor(x)", "rounded down", (1, 1), _same_number, math.floor),
    "round": Function("round(x)", "rounded to a whole number", (1, 1), _same_number, round),
    "log2": Function("log2(x)", "the binary logarithm", (1, 1), _logarithm, _log2),
    "number": Function("number(x)", "x as a plain number", (1, 1), _as_dimension(PLAIN), lambda x: x),
    "bytes": Function(
        "bytes(x)", "a plain number or count as bytes", (1, 1), _as_dimension(BYTES), lambda x: x
    ),
    "startswith": Function("startswith(text, 'a')", "starts with", (2, 2), _texts(BOOLEAN), str.startswith),
    "endswith": Function("endswith(text, 'a')", "ends with", (2, 2), _texts(BOOLEAN), str.endswith),
    "contains": Function(
        "contains(x, y)", "y is in x", (2, 2), _contains, lambda container, item: item in container
    ),
    "lower": Function("lower(text)", "in small letters", (1, 1), _texts(TEXT), str.lower),
    "glob": Function("glob(text, '*.sh')", "fits the shell pattern", (2, 2), _texts(BOOLEAN), fnmatchcase),
    "join": Function("join(list, ', ')", "elements in one text", (1, 2), _join, _join_values),
}
"""Functions whose arguments are evaluated first; one unknown argument makes the result unknown."""

REDUCTIONS = {
    "any": "any(test for x in list): whether one passes",
    "all": "all(test for x in list): whether every one passes",
    "count": "count(test for x in list): how many pass",
    "sum": "sum(number for x in list)",
    "max": "max(number for x in list)",
    "min": "min(number for x in list)",
    "first": "first(value for x in list if test): of the first that passes; unknown when none does",
    "join": "join(text for x in list): in one text",
}
"""Functions that take ``… for x in list if …``."""

FACT_TESTS = {
    "known": "known(fact): whether it is known",
    "stated": "stated(fact): whether the user wrote it (not a default, not derived)",
}
"""Functions on a fact itself; they are never unknown."""

TEXT_TESTS = {
    "mentions": "mentions(text, 'a|b', 'c'): whether every argument's phrase is in the text",
    "matches": "matches(text, r'regex'): whether the regular expression is found",
}
"""Functions that find something in a text; the line found becomes evidence."""


def function_names() -> list[str]:
    """Return the name of every function, for suggestions and for the documentation."""
    return sorted({*FUNCTIONS, *REDUCTIONS, *FACT_TESTS, *TEXT_TESTS})

"""What the statement that a frame is in does with a value: asserts it, ends a loop by it, returns it."""

import ast
from dataclasses import dataclass
from types import CodeType, FrameType

from .flow import EXITS, leads_to_raise, tests_of_name
from .source import Place, is_call_of, place_of

_CHECKING_CALLS = {"_assert", "_assert_scalar", "_check", "assertTrue", "assert_"}
"""Functions that raise when their first argument is not true."""

_kept: dict[tuple[CodeType, int], "Decision"] = {}


@dataclass(frozen=True)
class Decision:
    """``use``: assert, loop, return (the caller decides), ? (no source), or empty (something else).

    ``truth``: what the expression must be so that the assert passes or the loop ends; of a return: whether
    the function's result is true when the expression is. ``path``: the expression, from the outside to what
    is read.
    """

    use: str
    truth: bool = True
    path: tuple[ast.AST, ...] = ()


def decision_of(frame: FrameType) -> Decision:
    """Return what is decided at the instruction that ``frame`` is at."""
    key = (frame.f_code, frame.f_lasti)
    if key not in _kept:
        place = place_of(frame)
        _kept[key] = Decision("?") if place is None else _decide(place)
    return _kept[key]


def _decide(place: Place) -> Decision:
    for index in range(len(place.path) - 1, -1, -1):
        inside = place.path[index + 1 :]
        if isinstance(place.path[index], ast.Lambda):
            return Decision("return", path=inside)
        if inside and is_call_of(place.path[index], _CHECKING_CALLS):
            return Decision("assert", path=inside)
    return _of_statement(place)


def _of_statement(place: Place) -> Decision:
    decision = Decision("", path=place.path)
    match place.statement:
        case ast.Assert(test=test) if place.path[:1] == (test,):
            decision = Decision("assert", path=place.path)
        case ast.While(test=test) if place.path[:1] == (test,):
            decision = Decision("loop", truth=False, path=place.path)
        case ast.If(test=test) if place.path[:1] == (test,):
            decision = _of_condition(place.statement, place, place.path)
        case ast.Return():
            decision = Decision("return", path=place.path)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            decision = _of_name(name, place)
    return decision


def _of_condition(condition: ast.If, place: Place, path: tuple[ast.AST, ...]) -> Decision:
    for body, truth in ((condition.body, True), (condition.orelse, False)):
        if leads_to_raise(body):
            return Decision("assert", truth=not truth, path=path)
        if body and isinstance(body[-1], EXITS) and place.loop is not None:
            return Decision("loop", truth=truth, path=path)
        if body and isinstance(body[-1], ast.Return) and isinstance(body[-1].value, ast.Constant):
            return Decision("return", truth=truth == bool(body[-1].value.value), path=path)
    return Decision("", path=path)


def _of_name(name: str, place: Place) -> Decision:
    """Follow a value through one variable: to the loop's condition, an assert, an exit, or a return."""
    for statement, path in tests_of_name(name, place):
        whole = (*path, *place.path)
        if statement is place.loop:
            return Decision("loop", truth=False, path=whole)
        if isinstance(statement, ast.Assert):
            return Decision("assert", path=whole)
        if isinstance(statement, ast.Return):
            return Decision("return", path=whole)
        if isinstance(statement, ast.If):
            decision = _of_condition(statement, place, whole)
            if decision.use:
                return decision
    return Decision("", path=place.path)

"""Which value of what is read makes an expression true, or false."""

import ast
import math
from types import FrameType
from typing import TYPE_CHECKING

from .source import is_call_of, name_of

if TYPE_CHECKING:
    from .decision import Decision

Answer = bool | float | None
"""A truth value, a number, or None: nothing in particular."""

# Functions that ask what a number is: a number for which they say yes, and one for which they say no.
_QUESTIONS = {"isnan": (math.nan, 0.0), "isfinite": (0.0, math.nan), "isinf": (math.inf, 0.0)}
# Functions of which the result is true, or the number, when the argument is; of another nobody can say.
_TRANSPARENT = {"bool", "int", "float", "all", "any", "max", "min", "asarray", "array", "device_get", "item"}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def wanted_value(truth: bool, frames: list[tuple["Decision", FrameType]], kind: str) -> Answer:  # noqa: FBT001
    """Return the value to read, so that the outermost frame's expression has this truth.

    ``frames`` begins with the frame that reads. A function's result is what its caller's expression ends in.
    Of the ``kind`` ``bool`` it is known that the value is itself the answer to a question such as isnan.
    """
    wanted: Answer = truth
    for position, (decision, frame) in enumerate(reversed(frames)):
        if position and decision.use != "return":
            continue  # a library's way of reading
        if position and not decision.truth and isinstance(wanted, bool):
            wanted = not wanted
        for index, node in enumerate(decision.path):
            child = decision.path[index + 1] if index + 1 < len(decision.path) else None
            if kind != "bool" or not is_call_of(node, _QUESTIONS):
                wanted = _inward(wanted, node, child, frame)
            if wanted is None:
                return None
    return wanted


def makes_whole(node: ast.AST) -> bool:
    """Say whether a whole number is made of an argument: by ``round(x)`` it is, by ``round(x, 5)`` not."""
    if is_call_of(node, {"round"}):
        return isinstance(node, ast.Call) and len(node.args) == 1
    return is_call_of(node, {"int", "range"})


def _inward(wanted: Answer, node: ast.AST, child: ast.AST | None, frame: FrameType) -> Answer:
    """Return what ``child`` must be, so that ``node`` is what is wanted."""
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return not wanted
        case ast.BinOp():
            return None
        case ast.Compare() if child is not None:
            return _through_comparison(bool(wanted), node, child, frame)
        case ast.Call():
            return _through_call(wanted, node, child)
    return wanted


def _through_comparison(wanted: bool, node: ast.Compare, child: ast.AST, frame: FrameType) -> Answer:  # noqa: FBT001
    if len(node.ops) > 1:
        return None
    mirrored = child is not node.left
    other = _value_of(node.left if mirrored else node.comparators[0], frame)
    return _solve(type(node.ops[0]), other, wanted=wanted, mirrored=mirrored)


def _through_call(wanted: Answer, node: ast.Call, child: ast.AST | None) -> Answer:
    name = name_of(node.func)
    if name in _QUESTIONS:
        yes, no = _QUESTIONS[name]
        return yes if wanted else no
    is_argument = child is not None and child is not node.func
    return None if is_argument and name not in _TRANSPARENT else wanted


def _solve(operation: type[ast.cmpop], other: float | None, *, wanted: bool, mirrored: bool) -> Answer:
    """Return an x for which «x operation other» (mirrored: «other operation x») has the wanted truth."""
    if mirrored:
        operation = _MIRRORED.get(operation, operation)
    if not wanted:
        operation = _NEGATED.get(operation, ast.Is)
    if other is None:
        return None
    if operation in (ast.Eq, ast.LtE, ast.GtE):
        return other
    further = max(1.0, abs(other))  # a step that is a change in any floating-point type
    steps = {ast.Lt: -further, ast.Gt: further, ast.NotEq: further}
    return other + steps[operation] if operation in steps else None


def _value_of(node: ast.expr, frame: FrameType) -> float | None:
    """Return the number that an expression stands for, if that can be seen without running anything."""
    value: object = None
    match node:
        case ast.Constant(value=constant):
            value = constant
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as constant)):
            value = -constant
        case ast.Name(id=name):
            value = _variable(name, frame)
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            value = getattr(_variable(name, frame), "__dict__", {}).get(attribute)
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _variable(name: str, frame: FrameType) -> object:
    return frame.f_locals.get(name, frame.f_globals.get(name))

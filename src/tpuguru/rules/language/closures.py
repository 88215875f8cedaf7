"""The functions that expressions are made of: reading facts, three-valued logic, arithmetic, text tests."""

from collections.abc import Callable

from tpuguru.facts.origin import OriginKind
from tpuguru.rules.language.missing import Missing, missing_reason
from tpuguru.rules.language.scope import Scope, TextMatch
from tpuguru.rules.language.text_tests import find_together, phrase_pattern, regex_pattern

type Evaluate = Callable[[Scope], object]

_WRITTEN = {OriginKind.COMMAND, OriginKind.ENVIRONMENT, OriginKind.FILE, OriginKind.OPTION}


def read_fact(name: str) -> Evaluate:
    """Return the function that reads a fact and records the reading."""

    def read(scope: Scope) -> object:
        scope.reads.append(name)
        try:
            return scope.values[name]
        except KeyError:
            return scope.fetch(name)

    return read


def known_fact(name: str) -> Evaluate:
    """Return the test whether a fact is known; it is never unknown itself."""
    read = read_fact(name)
    return lambda scope: read(scope).__class__ is not Missing


def stated_fact(name: str) -> Evaluate:
    """Return the test whether the user wrote a fact's value."""

    def evaluate(scope: Scope) -> object:
        scope.reads.append(name)
        value = scope.facts.get(name)
        return value.known and value.origin.kind in _WRITTEN

    return evaluate


def conjunction(operands: list[Evaluate]) -> Evaluate:
    """Return `and`: one false operand decides, whatever is unknown."""

    def evaluate(scope: Scope) -> object:
        missing: Missing | None = None
        start = len(scope.reads)
        for operand in operands:
            mark = len(scope.reads)
            value = operand(scope)
            if value.__class__ is Missing:
                missing = missing.joined(value) if missing else value
            elif not value:
                scope.reads[start:mark] = []  # what decided is this operand alone
                return False
        return True if missing is None else missing

    return evaluate


def disjunction(operands: list[Evaluate]) -> Evaluate:
    """Return `or`: one true operand decides, whatever is unknown."""

    def evaluate(scope: Scope) -> object:
        missing: Missing | None = None
        start = len(scope.reads)
        for operand in operands:
            mark = len(scope.reads)
            value = operand(scope)
            if value.__class__ is Missing:
                missing = missing.joined(value) if missing else value
            elif value:
                scope.reads[start:mark] = []
                return True
        return False if missing is None else missing

    return evaluate


def applied(apply: Callable[..., object], left: Evaluate, right: Evaluate) -> Evaluate:
    """Return an operation on two values; unknown when one is, or when it has no result."""

    def evaluate(scope: Scope) -> object:
        first = left(scope)
        second = right(scope)
        if first.__class__ is Missing or second.__class__ is Missing:
            return _join_missing(first, second)
        try:
            return apply(first, second)
        except ArithmeticError as error:
            return missing_reason(f"the arithmetic has no result ({error})")

    return evaluate


def _join_missing(first: object, second: object) -> Missing:
    if isinstance(first, Missing):
        return first.joined(second) if isinstance(second, Missing) else first
    assert isinstance(second, Missing)  # noqa: S101 - the caller saw that one of the two is
    return second


def known_values(values: tuple[object, ...]) -> tuple[object, ...] | Missing:
    """Return the values, or the Missing that those of them which are missing make together."""
    missing: Missing | None = None
    for value in values:
        if isinstance(value, Missing):
            missing = missing.joined(value) if missing else value
    return values if missing is None else missing


def text_test(name: str, text_of: Evaluate, fact: str, texts: list[str]) -> Evaluate:
    """Return ``mentions`` or ``matches``; what was found is recorded with its place in the text."""
    compile_pattern = phrase_pattern if name == "mentions" else regex_pattern

    def evaluate(scope: Scope) -> object:
        text = text_of(scope)
        if not isinstance(text, str):
            return text
        found = find_together([compile_pattern(pattern) for pattern in texts], text)
        if found is None:
            return False
        scope.matches.extend(TextMatch(fact, start, end) for start, end in found)
        return True

    return evaluate

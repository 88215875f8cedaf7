"""Facts that are computed when they are first read."""

import pytest

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Value

NAME = "launch.devices"


def _value(number: int) -> Value:
    return Value(number, Origin(OriginKind.DERIVED))


def test_a_deferred_fact_is_computed_once_when_it_is_read() -> None:
    """Not when it is put, and not again."""
    asked: list[int] = []

    def compute() -> Value:
        asked.append(1)
        return _value(8)

    facts = Facts()
    facts.defer(NAME, compute)
    assert NAME in facts
    assert not asked
    assert (facts.get(NAME).value, facts.get(NAME).value, len(asked)) == (8, 8, 1)


def test_the_later_of_put_and_defer_counts() -> None:
    """Either way replaces the other."""
    facts = Facts([(NAME, _value(1))])
    facts.defer(NAME, lambda: _value(2))
    assert facts.get(NAME).value == 2
    facts.defer(NAME, lambda: _value(3))
    facts.put(NAME, _value(4))
    assert facts.get(NAME).value == 4


def test_iterating_computes_what_is_left() -> None:
    """Whoever lists the facts gets all of them."""
    facts = Facts()
    facts.defer(NAME, lambda: _value(8))
    assert [(name, value.value) for name, value in facts] == [(NAME, 8)]


def test_an_undeclared_name_is_refused() -> None:
    """As by put."""
    with pytest.raises(KeyError, match="not in the vocabulary"):
        Facts().defer("no.such.fact", lambda: _value(1))

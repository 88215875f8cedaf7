"""Three-valued logic: unknown spreads as in Kleene's logic, and the reason is kept."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.facts import evaluate, facts

from tpuguru.facts.value import Record, Unknown

UNKNOWN = Unknown("not stated")
VALUES = (True, False, UNKNOWN)
NAMES = ("job.flag", "job.other", "job.third")


@pytest.mark.parametrize(("first", "second"), list(itertools.product(VALUES, repeat=2)))
def test_and_or_follow_the_truth_tables(first: bool | Unknown, second: bool | Unknown) -> None:
    """False decides `and`, true decides `or`, whatever the other side is."""
    known = facts(job__flag=first, job__other=second)
    missing = {name for name, value in (("job.flag", first), ("job.other", second)) if value is UNKNOWN}
    expected_and = False if False in (first, second) else missing or True
    expected_or = True if True in (first, second) else missing or False
    assert evaluate("job.flag and job.other", known) == expected_and
    assert evaluate("job.flag or job.other", known) == expected_or
    assert evaluate("not job.flag", known) == (missing & {"job.flag"} or not first)


@st.composite
def formulas(draw: st.DrawFn, depth: int = 4) -> str:
    """Draw a formula over three facts."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(NAMES))
    shape = draw(st.sampled_from(("not ({})", "({}) and ({})", "({}) or ({})", "({}) if ({}) else ({})")))
    return shape.format(*(draw(formulas(depth=depth - 1)) for _ in range(shape.count("{}"))))


def outcomes(formula: str, values: tuple[bool | Unknown, ...]) -> set[bool]:
    """Return what Python says for every way to fill in the unknowns: the reference that Kleene must agree with."""
    choices = [(True, False) if value is UNKNOWN else (value,) for value in values]
    results = set()
    for filled in itertools.product(*choices):
        text = formula
        for name, value in zip(NAMES, filled, strict=True):
            text = text.replace(name, str(value))
        results.add(bool(eval(text)))  # noqa: S307 - a formula drawn above, over True and False
    return results


@given(formulas(), st.tuples(*[st.sampled_from(VALUES)] * 3))
def test_a_decided_formula_is_right_for_every_way_to_fill_in_the_unknowns(
    formula: str, values: tuple[bool | Unknown, ...]
) -> None:
    """An answer given although facts are missing may never turn out wrong once they are known."""
    known = facts(job__flag=values[0], job__other=values[1], job__third=values[2])
    result = evaluate(formula, known)
    possible = outcomes(formula, values)
    if isinstance(result, bool):
        assert possible == {result}
    if UNKNOWN not in values:
        assert isinstance(result, bool)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("job.layers + job.devices > 4", {"job.layers", "job.devices"}),
        ("job.layers > 4 and job.flag", False),
        ("job.layers > 4 or not job.flag", True),
        ("known(job.layers)", False),
        ("known(job.flag) and not job.flag", True),
        ("1 < job.layers < 4 and job.flag", False),
        ("len(job.names) > 0", {"job.names"}),
        ("job.layers in (1, 2)", {"job.layers"}),
        ("near(job.rate, 1, 0.1)", {"job.rate"}),
        ("(4 if job.flag else job.layers) == 4", {"job.layers"}),
        ("(job.layers if job.flag else 4) == 4", True),
    ],
)
def test_unknown_facts_are_named(text: str, expected: object) -> None:
    """«Cannot tell» must say what it would take."""
    assert evaluate(text, facts(job__flag=False)) == expected


def test_arithmetic_without_a_result_is_unknown_not_an_exception() -> None:
    """A zero from a half-read launch must not stop the run."""
    known = facts(job__layers=0, job__names=(), job__rate=1e308)
    assert evaluate("4 / job.layers > 1", known) == {""}
    assert evaluate("4 // job.layers > 1 or job.layers == 0", known) is True
    assert evaluate("job.names[0] == 'x'", known) == {""}
    assert evaluate("max(len(job.names), 1) == 1", known) is True
    assert evaluate("log2(job.layers) > 1", known) == {""}
    assert evaluate("max(job.sizes) > 1 * KiB", facts(job__sizes=())) == {""}


RECORDS: tuple[Record, ...] = (
    {"kind": "all-gather", "bytes": 5},
    {"kind": "all-reduce", "bytes": Unknown("not in the text", "the HLO")},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("any(c.bytes >= 5 * KiB / 1024 for c in compiled.collectives)", True),
        ("any(c.bytes > 5 * KiB for c in compiled.collectives)", {"bytes"}),
        ("all(c.bytes > 5 * KiB for c in compiled.collectives)", False),
        ("all(c.bytes > 0 for c in compiled.collectives)", {"bytes"}),
        ('sum(c.bytes for c in compiled.collectives if c.kind == "all-gather") == 5 * KiB / 1024', True),
        ("sum(c.bytes for c in compiled.collectives) > 0", {"bytes"}),
        ('count(c.kind == "all-reduce" for c in compiled.collectives) == 1', True),
        ('first(c.bytes for c in compiled.collectives if c.kind == "all-gather") > 0', True),
        ('join(c.kind for c in compiled.collectives) == "all-gather, all-reduce"', True),
        ('max(c.bytes for c in compiled.collectives if c.kind == "all-gather") > 0', True),
        ("any(known(job.flag) for c in compiled.collectives if c.bytes > 9 * GiB)", {"bytes"}),
    ],
)
def test_loops_over_records_are_three_valued_too(text: str, expected: object) -> None:
    """One entry that is not known leaves a loop undecided only where it could matter."""
    assert evaluate(text, facts(compiled__collectives=RECORDS, job__flag=True)) == expected

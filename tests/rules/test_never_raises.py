"""Whatever passes the checker evaluates without an exception, on any facts; whatever does not, is one sentence."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.rules.facts import VOCABULARY, facts

from tpuguru.facts.value import Scalar, Unknown
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.parser import Expression, parse_expression
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.language.template import check_template, render_template
from tpuguru.rules.tipping import operands

UNKNOWN = Unknown("not stated")


def perhaps(values: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar | Unknown]:
    """Return values some of which are unknown."""
    return st.one_of(st.just(UNKNOWN), values)


WHOLE = st.integers(-(10**18), 10**18)
REAL = st.floats(allow_nan=True, allow_infinity=True)
KNOWN = st.fixed_dictionaries(
    {
        "job__flag": perhaps(st.booleans()),
        "job__other": perhaps(st.booleans()),
        "job__layers": perhaps(WHOLE),
        "job__rate": perhaps(REAL),
        "job__policy": perhaps(st.sampled_from(["full", "minimal", "custom", ""])),
        "job__script": perhaps(st.text(max_size=30)),
        "job__names": st.one_of(st.just(UNKNOWN), st.lists(st.text(max_size=3), max_size=3).map(tuple)),
        "job__sizes": st.one_of(st.just(UNKNOWN), st.lists(WHOLE, max_size=3).map(tuple)),
        "hw__hbm": perhaps(WHOLE),
        "compiled__collectives": st.lists(
            st.fixed_dictionaries({"kind": st.just("all-gather")}, optional={"bytes": perhaps(WHOLE)}),
            max_size=3,
        ).map(tuple),
    }
)

NUMBERS: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["job.layers", "job.rate", "0", "3", "0.5", "len(job.names)", "len(job.script)"]),
        st.builds("({} {} {})".format, NUMBERS, st.sampled_from(["+", "-", "*", "/", "//", "%"]), NUMBERS),
        st.builds(
            "{}({})".format, st.sampled_from(["abs", "ceil", "floor", "round", "log2", "number"]), NUMBERS
        ),
        st.builds("max({}, {})".format, NUMBERS, NUMBERS),
        st.builds("({} if {} else {})".format, NUMBERS, TESTS, NUMBERS),
        st.builds("count(c.bytes > {} * GiB for c in compiled.collectives)".format, NUMBERS),
    )
)
SIZES = st.one_of(
    st.sampled_from(
        ["hw.hbm", "8 * GiB", "sum(job.sizes)", "max(job.sizes)", "job.sizes[0]", "job.sizes[-2]"]
    ),
    st.builds("({} * hw.hbm)".format, NUMBERS),
    st.builds("bytes({})".format, NUMBERS),
    st.just("sum(c.bytes for c in compiled.collectives)"),
    st.just("first(c.bytes for c in compiled.collectives if c.bytes > 1 * KiB)"),
)
TESTS: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(
            [
                "job.flag",
                "known(job.layers)",
                "stated(hw.hbm)",
                'job.policy == "full"',
                'job.policy in ("full", "custom")',
                '"a" in job.names',
                "startswith(job.script, 'run')",
                "glob(job.script, '*[a-z*')",
                "mentions(job.script, 'a|b')",
                "any(n == job.policy for n in job.names)",
                "all(c.bytes > 0 for c in compiled.collectives if job.flag)",
            ]
        ),
        st.builds("({} and {})".format, TESTS, TESTS),
        st.builds("({} or {})".format, TESTS, TESTS),
        st.builds("(not {})".format, TESTS),
        st.builds("({} {} {})".format, NUMBERS, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS),
        st.builds("({} < {} <= {})".format, NUMBERS, NUMBERS, NUMBERS),
        st.builds("({} {} {})".format, SIZES, st.sampled_from(["<", ">=", "=="]), SIZES),
        st.builds("near({}, {}, 0.1)".format, NUMBERS, NUMBERS),
        st.builds("{} in job.sizes".format, SIZES),
    )
)


def read(text: str) -> Expression | None:
    """Parse an expression; None when the drawn one is deeper or longer than the language allows."""
    try:
        return parse_expression(text)
    except ExpressionError:
        return None


def fault(text: str) -> str | None:
    """Return what is wrong with a text as an expression, or None."""
    try:
        check_expression(parse_expression(text), VOCABULARY)
    except ExpressionError as error:
        return error.message
    return None


@settings(max_examples=150, deadline=None)
@given(TESTS, KNOWN)
def test_an_expression_that_passes_evaluates_to_one_of_three_values(
    text: str, known: dict[str, Scalar | Unknown]
) -> None:
    """A launch may hold any numbers and leave anything out."""
    expression = read(text)
    assume(expression is not None)
    assert expression is not None
    assert fault(text) is None
    scope = Scope(facts(**known))
    value = compile_node(expression.tree)(scope)
    assert isinstance(value, Missing) or value in (True, False)
    assert operands(text, scope)


@settings(max_examples=100, deadline=None)
@given(NUMBERS, SIZES, KNOWN)
def test_a_template_that_passes_renders(number: str, size: str, known: dict[str, Scalar | Unknown]) -> None:
    """A cost is computed from whatever the launch says."""
    text = f"{{{number}}} and {{{size}}}\n{{{number}:.1f}}"
    assume(read(number) is not None and read(size) is not None)
    check_template(text, VOCABULARY)
    assert isinstance(render_template(text, Scope(facts(**known))), str)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_any_text_is_an_expression_or_a_fault(text: str) -> None:
    """A rule file may hold anything."""
    assert fault(text) != ""


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "job.flag",
                "and",
                "or",
                "not",
                "(",
                ")",
                "==",
                "'a'",
                "1",
                "+",
                "[",
                "]",
                "any",
                "for",
                "x",
                "in",
                "job.names",
                ",",
                "if",
                "else",
                ":",
                ".",
                "{",
            ]
        )
    )
)
def test_any_order_of_words_is_an_expression_or_a_fault(words: list[str]) -> None:
    """Nearly right expressions are what people write."""
    assert fault(" ".join(words)) != ""

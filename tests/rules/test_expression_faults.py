"""What is wrong with an expression is said in one sentence under a caret, when the rule is loaded."""

import pytest
from tests.rules.facts import complaint


def test_an_unknown_fact_is_named_with_the_nearest_one() -> None:
    """A mistyped fact must not become a rule that never fires."""
    assert complaint("job.flag and job.layrs > 4") == (
        "job.flag and job.layrs > 4\n"
        "             ^^^^^^^^^\n"
        "no fact is called job.layrs\n"
        "did you mean job.layers?"
    )


def test_a_text_that_the_fact_never_has_is_refused() -> None:
    """Comparing with a misspelt choice would be false for ever."""
    assert complaint('job.policy == "ful"').endswith("'ful' is not a value of this fact\ndid you mean full?")
    assert complaint('job.policy in ("full", "costum")').endswith("did you mean custom?")
    assert complaint('"minmal" == job.policy').endswith("did you mean minimal?")


def test_bytes_are_never_compared_with_a_plain_number() -> None:
    """«hbm > 80» could mean anything; the unit has to be written."""
    assert complaint("job.layers > 2 and hw.hbm > 80") == (
        "job.layers > 2 and hw.hbm > 80\n"
        "                   ^^^^^^^^^^^\n"
        "bytes compared with a plain number\n"
        "write the size with its unit, e.g. 96 * GiB; bytes(x) makes a count bytes"
    )


def test_chips_are_never_compared_with_devices() -> None:
    """A tpu7x chip is two devices; the comparison is a bug unless one side is converted."""
    assert "devices compared with chips" in complaint("job.devices == job.chips")
    assert "chips compared with devices" in complaint("2 * job.chips == job.devices")
    assert complaint("job.chips * job.layers == job.devices") == "no fault"


@pytest.mark.parametrize(
    "text",
    [
        "hw.hbm > 80 * GiB",
        "hw.hbm > 0",
        "0.85 * hw.hbm >= compiled.used + 2 * GiB",
        "job.devices >= 8 and job.tokens % 128 == 0",
        "compiled.used / hw.hbm > 0.9",
        "hw.peak > 459 * TFLOP / second",
        "run.seconds > 30 * second and run.seconds < 2 * hour",
        "bytes(2 * job.parameters) < hw.hbm",
        "number(job.chips) == number(job.devices)",
        "max(compiled.used, 4 * GiB) > hw.hbm",
        'any(c.bytes > 1 * GiB for c in compiled.collectives if c.kind == "all-gather")',
        "sum(c.bytes for c in compiled.collectives) > 0.5 * hw.hbm",
        "min(s for s in job.sizes) < max(job.sizes)",
        'near(job.rate, 1.0, 0.05) or "a" in job.names',
        '(job.layers if job.flag else 0) > 4 and job.policy not in ("full", "custom")',
        "1 < job.layers <= 80",
        'glob(job.script, "run-*.sh") and startswith(lower(job.script), "run")',
        'mentions(run.text, "out of memory|oom", "hbm")',
        "job.names[0] == 'x' or job.sizes[-1] > 1 * KiB",
        "stated(job.policy) and known(hw.hbm)",
        "log2(job.layers) == floor(log2(job.layers))",
        "count(c.bytes > 0 for c in compiled.collectives) > 3",
    ],
)
def test_what_rules_need_is_accepted(text: str) -> None:
    """Arithmetic with units, functions, and loops over records are all typed."""
    assert complaint(text) == "no fault"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the expression is empty"),
        ("job.layers >", "not an expression"),
        ("job.layers > 4)", "not an expression"),
        ("job.layers ** 2 > 4", "** is not part of the rule language"),
        ("job.flag is True", "compare with == instead of `is`"),
        ("(lambda: job.flag)()", "functions cannot be defined in a rule"),
        ("(x := 4) > 3", "nothing can be assigned in a rule"),
        ("any([job.flag for x in job.names])", "write the generator without brackets"),
        ('f"{job.layers}" == "4"', "f-strings are not part of the rule language"),
        ("job.names[0:1] == 'x'", "slices are not part of the rule language"),
        ("len(*job.names) > 1", "* is not part of the rule language here"),
        ("None == job.layers", "None is not a value of the rule language"),
        ("job.layers and job.flag", "`and` needs a truth value; this is a plain number"),
        ("not job.policy", "`not` needs a truth value; this is a text"),
        ("job.layers < job.policy", "a plain number is compared with a text"),
        ("job.flag < job.other", "a truth value cannot be compared with <"),
        ("job.policy + 'x' == 'y'", "arithmetic needs numbers; this is a text"),
        ("hw.hbm + job.layers > 0", "+ mixes bytes and a plain number"),
        ("hw.hbm == run.seconds", "bytes compared with s"),
        ("job.layers in job.names", "a plain number is never in a list of texts"),
        ("job.policy in job.layers", "`in` needs a list or a text on its right"),
        ("job.layers[0] > 1", "only a list has numbered elements"),
        ("job.names[job.layers] == 'x'", "the number of an element must be written out"),
        ("len(job.layers) > 1", "len needs a list or a text"),
        ("lenght(job.names) > 1", "no function lenght"),
        ("len(job.names, 2) > 1", "len takes 1 arguments"),
        ("max(hw.hbm, 4) > 1 * GiB", "max mixes bytes and a plain number"),
        ("near(job.rate, 1.0, 5 * GiB)", "the tolerance of near is a fraction such as 0.05"),
        ("any(job.flag)", "any needs `… for x in …`"),
        ("any(x > 1 for x in job.layers)", "a loop needs a list; this is a plain number"),
        ("any(x > 1 for x in job.sizes for y in job.sizes)", "one `for` at a time"),
        ("any(c.byte > 1 * GiB for c in compiled.collectives)", "no field byte"),
        ("any(c.bytes for c in compiled.collectives)", "any needs a test; this is bytes"),
        ("(x for x in job.names) == 'a'", "stands only in any, all"),
        ("known(job.layers + 1)", "known takes the name of a fact"),
        ("stated(job.layrs)", "no fact is called job.layrs"),
        ("mentions(run.text, job.policy)", "what to look for must be a text written out"),
        ('matches(run.text, "(a+)+b")', "the pattern repeats a group of repeats or alternatives"),
        ('matches(run.text, "(a|aa)+b")', "the pattern repeats a group of repeats or alternatives"),
        ('matches(run.text, "(unclosed")', "not a regular expression"),
        ("(1 if job.flag else 'x') == 1", "one branch is a plain number, the other a text"),
        ("job.policy.upper() == 'FULL'", "a function is called by its name"),
        ("__import__('os').system('true')", "a function is called by its name"),
        ("bytes(hw.hbm) > 0", "bytes() takes a plain number or a count"),
        ("job.names == ('a', 'b')", "a list of texts cannot be compared with =="),
    ],
)
def test_what_has_no_meaning_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    """Each fault is found at load; none becomes an exception while a launch is judged."""
    assert sentence in complaint(text)


@pytest.mark.parametrize(
    "text",
    ["(" * 500 + "1" + ")" * 500, "-" * 3900 + "1", "not " * 900 + "job.flag", "[" * 60, "1 + " * 2000 + "1"],
)
def test_hostile_nesting_and_length_end_in_a_sentence(text: str) -> None:
    """Neither the parser's stack nor ours can be exhausted from a rule file."""
    assert "no fault" not in complaint(text)


def test_the_place_is_in_characters_on_later_lines_too() -> None:
    """The caret stands under the fault also after other scripts and on a second line."""
    assert complaint('job.script == "多于"\nand job.layrs > 4').split("\n")[:2] == [
        "and job.layrs > 4",
        "    ^^^^^^^^^",
    ]

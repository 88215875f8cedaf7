"""Looking for phrases and patterns in pasted output."""

import time

import pytest
from tests.rules.facts import evaluate, facts


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("The room is full", "'oom'", False),
        ("we hit OOM again", "'oom'", True),
        ("OOM.", "'out of memory|oom'", True),
        ("Ran  out\n of memory", "'out of memory'", True),
        ("scoped_vmem limit", "'scoped vmem|scoped-vmem'", True),
        ("vmem-limit", "'vmem_limit'", True),
        ("scoped vmem, limit 32", "'vmem', 'exceeded'", False),
        ("vmem exceeded", "'vmem', 'exceeded'", True),
        ("allocated 3 GiB of 4 GiB", "'allocated … of'", True),
        ("allocated\n3 GiB of", "'allocated … of'", False),
        ("E2001 MosaicUnsupportedRhsType:", "'*UnsupportedRhsType'", True),
        ("E2001 MosaicUnsupportedRhsTypes:", "'*UnsupportedRhsType'", False),
        ("编译时内存不足", "'内存不足'", True),
        ("a.b(c)+", "'a.b(c)+'", True),
        ("axb(c)", "'a.b(c)'", False),
    ],
)
def test_phrases_are_whole_words_in_any_case_and_spacing(text: str, arguments: str, expected: bool) -> None:
    """«oom» must not be found in «room», and a wrapped line must not hide a phrase."""
    assert evaluate(f"mentions(run.text, {arguments})", facts(run__text=text)) is expected


def test_patterns_see_lines_and_ignore_case() -> None:
    """`^` and `$` are the ends of lines, as a reader of logs expects."""
    known = facts(run__text="step 1\nLOSS: nan\nend")
    assert evaluate('matches(run.text, r"^loss:\\s+nan$")', known) is True
    assert evaluate('matches(run.text, r"^nan")', known) is False


def test_an_unknown_text_is_unknown() -> None:
    """Without a log nothing is said about what it says."""
    assert evaluate("mentions(run.text, 'oom')", facts()) == {"run.text"}


def test_one_long_line_is_searched_in_time_that_grows_with_its_length() -> None:
    """A minified file on one line is pasted too: a gap in a phrase must not make the search square its length."""
    long = facts(run__text="[" * 200_000 + "skip " * 20_000)
    began = time.process_time()
    assert evaluate("mentions(run.text, '*UnsupportedRhsType|allocated*limit')", long) is False
    assert time.process_time() - began < 2

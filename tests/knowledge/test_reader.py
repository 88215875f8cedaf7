"""Pages are read strictly: what is well written is kept whole, a slip is an error at its place."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.knowledge.pages import FRONT, SOURCE, claim

from tpuguru.base.errors import UsageError
from tpuguru.facts.finding import Level
from tpuguru.knowledge.glossary import read_glossary
from tpuguru.knowledge.reader import citations, read_page
from tpuguru.knowledge.routes import read_routes

PATH = "knowledge/06-memory.md"


def slip(text: str) -> tuple[str, int, int | None]:
    """Return the message, line and column of the error that ``text`` raises."""
    with pytest.raises(UsageError) as caught:
        read_page(text, PATH)
    location = caught.value.location
    assert location is not None
    assert location.path == PATH
    return caught.value.message, location.line, location.column


def test_a_claim_is_kept_whole() -> None:
    """Every key of the format arrives in the claim."""
    text = FRONT + claim(
        "mem-one",
        "Adam holds 16 bytes",
        mark="🔴",
        scope="jax >= 0.7; tpu v6e",
        conditions="8 chips",
        measured="one run (2026-11-30)",
        aliases="Adam; 优化器",
        symptom="state too big",
        impact="blocker",
        remedy="Shard it.",
        see="mem-two",
        supersedes="mem-old",
        text="First.\n\nSecond.",
    )
    (found,) = read_page(text, PATH).claims
    assert (found.id, found.level, found.title) == ("mem-one", Level.NUMBER, "Adam holds 16 bytes")
    assert found.scope == ("jax >= 0.7", "tpu v6e")
    assert (found.conditions, found.impact, found.remedy) == ("8 chips", "blocker", "Shard it.")
    assert (found.aliases, found.symptoms) == (("Adam", "优化器"), ("state too big",))
    assert (found.see, found.supersedes) == (("mem-two",), ("mem-old",))
    assert found.text == "First.\n\nSecond."
    assert found.sources[0].url == "https://example.org/issue/1"
    assert found.location.line == 7


def test_the_newest_date_says_when_it_was_confirmed() -> None:
    """A measurement after the source's date is the later confirmation."""
    text = FRONT + claim(measured="one run (2026-11-30)")
    assert read_page(text, PATH).claims[0].date == "2026-11-30"
    assert read_page(FRONT + claim(), PATH).claims[0].date == "2026-05-01"


def test_a_source_may_be_defined_once_and_named() -> None:
    """``source: NAME`` stands for the definition above."""
    text = FRONT + f"[pr-1]: {SOURCE} the thread\n\n" + claim(source="pr-1")
    (source,) = read_page(text, PATH).claims[0].sources
    assert (source.url, source.date, source.title) == (
        "https://example.org/issue/1",
        "2026-05-01",
        "the thread",
    )


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("## x", "does not start with its front matter", 1, 1),
        ("---\npage: a\n", "front matter is not closed", 3, 1),
        ("---\npage: a\n---\n", "lacks title, reviewed, summary", 1, None),
        (FRONT.replace("2026-12-01", "last week"), "'last week' is not a date", 4, 11),
        (FRONT.replace("title", "titel"), "unknown key 'titel'", 3, 1),
        (FRONT + "## Mem_One 🟢 T\n", "not a claim's heading", 7, 4),
        (FRONT + "## mem-one 🔵 T\n", "not a claim's heading", 7, 4),
        (FRONT + claim(source=""), "claim mem-one has no source", 7, 4),
        (FRONT + claim(scope=""), "claim mem-one has no scope", 7, 4),
        (FRONT + claim(text=""), "claim mem-one has no text", 7, 4),
        (FRONT + claim(mark="🔴"), "a number without its conditions", 7, 4),
        (FRONT + claim(source="https://example.org"), "not a source", 9, 9),
        (FRONT + claim(source="https://example.org/x (2026-13-01)"), "'2026-13-01' is not a date", 9, 9),
        (FRONT + claim(source="nobody-defined"), "not a source", 9, 9),
        (FRONT + claim(impact="bad"), "unknown impact 'bad'", 10, 9),
        (FRONT + claim(measured="one run"), "does not end with its date", 10, 11),
        (FRONT + claim(alias="x"), "unknown key 'alias'", 10, 1),
        (FRONT + claim().replace("scope: jax", "scope:"), "'scope' has no value", 8, 7),
        (FRONT + claim().replace("scope: jax", "scope jax"), "expected «key: value»", 8, 1),
        (FRONT + claim().replace("scope: jax", "scope: jax\nscope: any"), "'scope' is given twice", 9, 8),
        (FRONT + "### tabel: x\n", "not a table's heading", 7, 5),
        (FRONT + "### table: x\n| a | b |\n|---|---|\n| 1 |\n", "cells", 10, None),
    ],
)
def test_a_slip_is_an_error_at_its_place(text: str, said: str, line: int, column: int | None) -> None:
    """The message says what is wrong, and where: file, line and column."""
    message, found_line, found_column = slip(text)
    assert said in message
    assert found_line == line
    if column is not None:
        assert found_column == column


def test_a_table_is_read_by_its_columns() -> None:
    """Cells are found by the column's name, each row with its line."""
    text = FRONT + claim() + "\n### table: peaks\n| chip | rate |\n|---|---|\n| v6e | 918 |\n"
    (table,) = read_page(text, PATH).tables
    assert table.columns == ("chip", "rate")
    assert table.rows[0].cells == {"chip": "v6e", "rate": "918"}
    assert text.splitlines()[table.rows[0].location.line - 1] == "| v6e | 918 |"


def test_citations_in_code_are_examples() -> None:
    """``[[id]]`` cites, the same between backticks does not."""
    found = citations("see [[mem-one]]\nand `[[mem-two]]`", PATH)
    assert [(name, place.line, place.column) for name, place in found] == [("mem-one", 1, 5)]


PIECES = st.sampled_from(
    [
        FRONT,
        claim(),
        claim("mem-two", mark="🔴"),
        "---\n",
        "## ",
        "### table: x\n",
        "| a | b |\n",
        "|---|---|\n",
        "source: ",
        SOURCE,
        "[x]: ",
        "\n",
        "🟢",
        "显存",
        "\x00",
        "：",
    ]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join))
@example(FRONT + "### table: x\n")
@example(FRONT + "### table: x\n| |\n")
def test_any_text_is_a_page_or_a_usage_error(text: str) -> None:
    """No text makes the readers fail otherwise than by saying what is wrong."""
    for read in (read_page, read_glossary, read_routes):
        with suppress(UsageError):
            read(text, PATH)


def test_a_huge_page_is_refused_at_once() -> None:
    """A page beyond the bound is an error, not a long wait."""
    assert "at most" in slip(FRONT + "x" * 4_000_001)[0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| a | b |", "3 cells"),
        ("| Big Name | b | c |", "not a concept's name"),
        ("| a | | |", "has no names"),
        ("| a | b | |\n| a | c | |", "two rows"),
    ],
)
def test_a_slip_in_the_glossary_is_an_error(row: str, said: str) -> None:
    """Rows are checked one by one, and the error names the last line."""
    with pytest.raises(UsageError, match=said) as caught:
        read_glossary(row, "knowledge/glossary.md")
    assert caught.value.location is not None
    assert caught.value.location.line == len(row.splitlines())


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("[[route]\n", "not TOML", 1),
        ("route = 5\n", "written as", 1),
        ("route = [1]\n", "written as", 1),
        ("topics = 5\n", "names a playbook", 1),
        ("[topics]\nmem = 5\n", "names a playbook", 1),
        ('\n[[route]]\nplaybook = "oom"\n', "needs a playbook and a why", 2),
        ('[[route]]\nplaybook="a"\nwhy="b"\nwordz=[]\n', "unknown key 'wordz'", 1),
        ('[[route]]\nplaybook="a"\nwhy="b"\nwords="x"\n', "list of strings", 1),
        ("[[route]]\nplaybook='a'\nwhy='b'\nartifacts=['(']\n", "is not valid", 1),
    ],
)
def test_a_slip_in_the_routing_table_is_an_error(text: str, said: str, line: int) -> None:
    """The row that is wrong is named by its line."""
    with pytest.raises(UsageError, match=said) as caught:
        read_routes(text, "playbooks/routes.toml")
    assert caught.value.location is not None
    assert caught.value.location.line == line

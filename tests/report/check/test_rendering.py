"""The report's texts, held as snapshots; TPUGURU_UPDATE_SNAPSHOTS=1 writes them anew."""

import json
import os
from pathlib import Path

import jsonschema
import pytest
from tests.report.check.reports import DOES_NOT_FIT, FITS, REPORTS

from tpuguru.base.locations import data_directory
from tpuguru.report.check.output import rendered

SNAPSHOTS = Path(__file__).with_name("snapshots")
SUFFIXES = {"text": "txt", "markdown": "md"}


def assert_same_as_snapshot(name: str, text: str) -> None:
    path = SNAPSHOTS / name
    if os.environ.get("TPUGURU_UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("style", ["text", "markdown"])
@pytest.mark.parametrize("name", sorted(REPORTS))
def test_the_rendered_report_is_the_snapshot(name: str, style: str) -> None:
    """What the user reads changes only on purpose."""
    assert_same_as_snapshot(f"{name}.{SUFFIXES[style]}", rendered(REPORTS[name], style))


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_json_keeps_the_contract(name: str) -> None:
    """The JSON validates against the published schema and says its version."""
    schema = json.loads((data_directory("contracts") / "check.v1.json").read_text())
    document = json.loads(rendered(REPORTS[name], "json"))
    jsonschema.validate(document, schema)
    assert document["schema"] == "check/v1"


@pytest.mark.parametrize("style", ["text", "markdown"])
def test_the_verdict_comes_first(style: str) -> None:
    """Nothing but the title stands before the verdict."""
    lines = [line for line in rendered(DOES_NOT_FIT, style).splitlines() if line.strip()]
    assert "does not fit" in lines[1]


def test_a_change_that_fits_is_listed_before_one_that_does_not() -> None:
    """The reader wants the way out, not the order of trying."""
    text = rendered(DOES_NOT_FIT, "text")
    assert text.index("num_vocab_tiling=8") < text.index("remat_policy=full")


def test_pasted_words_are_no_markup() -> None:
    """Square brackets are not rich's markup, and stars and pipes not Markdown's."""
    assert "bf16[3,8192,128256]" in rendered(FITS, "text")
    markdown = rendered(FITS, "markdown")
    assert "\\* \\` &lt;b>" in markdown


def test_every_verdict_figure_has_an_origin_and_a_level() -> None:
    """A number without its source is not stated."""
    verdict = FITS.verdict
    for figure in (verdict.need, verdict.limit, verdict.headroom):
        assert figure is not None
        assert figure.origin
        assert figure.level in ("mechanism", "pattern", "number")

"""A rule file that cannot be used stops the run, with the place and what to write instead."""

from pathlib import Path

import pytest
from tests.rules.rule_files import BODY, catalog, write_rule

from tpuguru.base.errors import UsageError
from tpuguru.base.exit_codes import ExitCode


def fault(folder: Path) -> UsageError:
    """Load a folder that must not load, and return the error."""
    with pytest.raises(UsageError) as caught:
        catalog(folder)
    return caught.value


def test_a_good_file_loads(tmp_path: Path) -> None:
    """What the other tests break is whole before."""
    write_rule(tmp_path)
    assert [rule.name for rule in catalog(tmp_path).rules] == ["some-rule"]


def test_the_fault_of_an_expression_is_shown_in_its_line(tmp_path: Path) -> None:
    """An author sees the file's own line with a caret, as from a compiler."""
    path = write_rule(tmp_path, when='job.flag\n  and job.policy == "custm"')
    error = fault(tmp_path)
    assert error.exit_code == ExitCode.USAGE
    assert error.message == "a rule cannot be used: 'custm' is not a value of this fact"
    assert error.help == "did you mean custom?"
    assert str(error.location) == f"{path}:11:7"
    assert error.details == ('   11 |   and job.policy == "custm"\n              ^^^^^^^^^^^^^^^^^^^^^')


def test_quoted_and_plain_expressions_have_their_places_too(tmp_path: Path) -> None:
    """The caret is right for each way of writing a text in YAML."""
    path = write_rule(tmp_path)
    text = path.read_text(encoding="utf-8")
    for style, column in (("when: job.flg", 7), ('when: "job.flg"', 8), ("when: 'job.flg'", 8)):
        path.write_text(text.replace("when: |\n  job.flag", style), encoding="utf-8")
        assert str(fault(tmp_path).location) == f"{path}:9:{column}"


def test_every_faulty_file_is_named_at_once(tmp_path: Path) -> None:
    """Fixing one file only to meet the next fault wastes an author's time."""
    write_rule(tmp_path, "first-rule", identifier="R-X01", when="job.flg")
    write_rule(tmp_path, "second-rule", identifier="R-X02", cost="{job.layrs}")
    error = fault(tmp_path)
    assert "(and 1 more fault in rule files)" in error.message
    assert "first-rule.md:10:3" in error.details
    assert "second-rule.md:22:2: no fact is called job.layrs" in error.details


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("severity: warn", "severity: wran", "wran is not a severity"),
        ("category: memory", "category: speed", "speed is not a category"),
        ("level: mechanism", "levle: mechanism", "unknown key levle"),
        ("since: ", "since_: ", "unknown key since_"),
        ("title: A title\n", "", "the key title is missing"),
        ("name: some-rule", "name: Some_Rule", "name Some_Rule is not kebab-case"),
        ("name: some-rule", "name: other-rule", "the file is called some-rule.md, the rule other-rule"),
        ("id: R-X01", "id: X1", "id X1 is not of the form R-T12"),
        ("title: A title", "title: A title\ntitle: B", "title is written twice"),
        ("title: A title", "title: [a, b]", "title must be a text"),
        ("title: A title", "title: {a", "the front matter is not YAML"),
        ("when: |", "when: >", "when is folded with `>`"),
        ("when: |\n  job.flag", "when: ''", "when is empty"),
        ("https://example.org/a", "example.org", "a source is {title: …, url: https://…"),
        ("since:", "order: high\nsince:", "order must be a whole number"),
        ("since:", "anchor: job.nope\nsince:", "anchor: no fact is called job.nope"),
        ("since:", "never_with: [nothing]\nsince:", "never_with names nothing, which is no rule"),
        ("since:", "borderline: job.other\nsince:", "has an example `### Borderline: …`"),
        ("---\n\n## Why", "\n\n## Why", "does not start with front matter"),
        ("## Why\n\nIt happens.", "## Why", "the section `## Why` is missing or empty"),
        ("## Fix", "## Fixes", "a section `Fixes` does not belong here"),
        ("### Good: another", "### Fine: another", "Fine says no verdict"),
        ("```facts\njob.flag = False", "```python\njob.flag = False", "not 'python'"),
        ("### Good: another\n", "", "an example needs a heading"),
        ("### Bad: one", "### Good: one", "has at least one example `### Bad: …`"),
        ("Do it.", "Do {job.layers", "a { that does not close on its line"),
        ("Do it.", "Do {job.layers:%%%}", "'%%%' is not a number format"),
        ("Do it.", "Do } it", "a } without its {"),
        ("Do it.", "Do {job.flag}", "a template shows texts and numbers; this is a truth value"),
    ],
)
def test_every_kind_of_fault_has_a_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    """One broken part at a time; none may load, none may end in a traceback."""
    path = write_rule(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    error = fault(tmp_path)
    assert sentence in error.message + error.details


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"---",
        b"\xff\xfe\x00",
        b"---\n" + b"a: [" * 5000 + b"\n---\n",
        b"x" * 300_000,
        b"---\n\x00\n---\n",
    ],
)
def test_hostile_files_end_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    """A rule folder may hold anything; reading it never ends in a traceback."""
    (tmp_path / "bad.md").write_bytes(content)
    assert fault(tmp_path).message.startswith("a rule cannot be used: ")


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    """Editors on Windows write both."""
    path = write_rule(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(catalog(tmp_path)) == 1


def test_two_rules_may_not_share_a_name_or_an_id(tmp_path: Path) -> None:
    """An ignore comment must mean one rule."""
    write_rule(tmp_path / "a")
    write_rule(tmp_path / "b", identifier="R-X02")
    write_rule(tmp_path / "c", "third-rule", identifier="R-X02")
    details = fault(tmp_path).details
    assert "some-rule is also the rule in" in details
    assert "R-X02 is also the rule in" in details


def test_a_readme_is_no_rule(tmp_path: Path) -> None:
    """Experts explain their folders."""
    write_rule(tmp_path)
    (tmp_path / "README.md").write_text("# How these rules came about\n", encoding="utf-8")
    assert len(catalog(tmp_path)) == 1


def test_a_fenced_heading_belongs_to_the_example(tmp_path: Path) -> None:
    """A pasted script may hold lines that look like Markdown headings."""
    body = BODY.format(cost="c", fix="f").replace(
        "job.flag = False", "# comment\n## not a section\njob.flag = False"
    )
    write_rule(tmp_path, body=body.replace("## not a section\n", ""))
    assert len(catalog(tmp_path)) == 1

"""`kb check`: what ships has no problem, and every kind of problem is found with its place."""

import re
from pathlib import Path

import pytest
from tests.knowledge.pages import claim, opened, write_base

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import data_directory
from tpuguru.facts.finding import Level
from tpuguru.knowledge import KnowledgeBase
from tpuguru.knowledge.check import check_knowledge

MINIMUM_CLAIMS = 300
FIGURES = "id model hardware chips devices precision config value unit per status why source date"


def problems(root: Path) -> list[tuple[str, str]]:
    """Return messages and places of what a check finds."""
    report = check_knowledge(opened(root))
    return [(problem.message, str(problem.location)) for problem in report.problems]


def test_what_ships_has_no_problem(shipped: KnowledgeBase) -> None:
    """The gate of every change to the pages: no dangling id, no superseded citation, nothing missing."""
    report = check_knowledge(shipped)
    assert [f"{problem.location}: {problem.message}" for problem in report.problems] == []
    assert report.claims >= MINIMUM_CLAIMS
    assert report.figures > 30


def test_every_claim_has_what_its_level_needs(shipped: KnowledgeBase) -> None:
    """Source, scope and text always; conditions with every number."""
    for claim_ in shipped.claims():
        assert claim_.sources, claim_.id
        assert claim_.scope, claim_.id
        assert all(source.url.startswith("https://") for source in claim_.sources), claim_.id
        assert claim_.conditions or claim_.level is not Level.NUMBER, claim_.id


def test_pages_are_the_ones_of_the_plan(shipped: KnowledgeBase) -> None:
    """Scope first, maintenance last, and every page but these two holds claims of its own."""
    pages = [page.id for page in shipped.pages]
    assert pages[0] == "00-scope"
    assert pages[-1] == "99-maintenance"
    assert {claim_.page for claim_ in shipped.claims()} >= set(pages[:-1])


def test_a_dangling_id_is_found_with_the_nearest(tmp_path: Path) -> None:
    """A claim that names a missing one is a problem at its place, with a suggestion."""
    write_base(tmp_path, claim("mem-one", see="mem-twoo"), claim("mem-two"))
    ((message, place),) = problems(tmp_path)
    assert message == "there is no claim 'mem-twoo'; did you mean mem-two?"
    assert place.startswith("knowledge/06-memory.md:8")


def test_a_citation_in_a_playbook_is_checked(tmp_path: Path) -> None:
    """Playbooks cite claims too."""
    write_base(tmp_path)
    with (tmp_path / "playbooks" / "oom.md").open("a") as file:
        file.write("See [[mem-gone]].\n")
    ((message, place),) = problems(tmp_path)
    assert "mem-gone" in message
    assert place == "playbooks/oom.md:11:5"


def test_nothing_cites_a_superseded_claim(tmp_path: Path) -> None:
    """A citation of the old claim is a problem; the successor may name it."""
    write_base(
        tmp_path, claim("mem-old"), claim("mem-new", supersedes="mem-old"), claim("mem-x", see="mem-old")
    )
    assert [message for message, _ in problems(tmp_path)] == ["cites mem-old, which mem-new supersedes"]


def test_a_circle_of_supersession_is_found(tmp_path: Path) -> None:
    """Two claims cannot supersede each other."""
    write_base(tmp_path, claim("mem-a", supersedes="mem-b"), claim("mem-b", supersedes="mem-a"))
    assert any("in a circle" in message for message, _ in problems(tmp_path))


def test_two_claims_with_one_id_are_refused(tmp_path: Path) -> None:
    """An id is stable because it is unique; the error names both places."""
    write_base(tmp_path, claim("mem-one"), claim("mem-one"))
    with pytest.raises(UsageError, match="defined twice") as caught:
        opened(tmp_path)
    assert "06-memory.md:8" in (caught.value.help or "")


def test_old_numbers_are_listed_to_confirm(tmp_path: Path) -> None:
    """A number last seen before its page's review date is listed, a mechanism is not."""
    write_base(tmp_path, claim("mem-a", mark="🔴", conditions="8 chips"), claim("mem-b"))
    report = check_knowledge(opened(tmp_path))
    assert [claim_.id for claim_ in report.stale] == ["mem-a"]
    write_base(tmp_path, claim("mem-a", mark="🔴", conditions="8 chips", confirmed="2026-12-02"))
    assert check_knowledge(opened(tmp_path)).stale == ()


def test_routes_lead_to_what_exists(tmp_path: Path) -> None:
    """A route to a missing playbook or page is a problem."""
    write_base(
        tmp_path,
        routes='[[route]]\nplaybook = "gone"\npages = ["77-gone"]\nwhy = "w"\nwords = ["x"]\n[topics]\nmem = "oom"\n',
    )
    assert {message for message, _ in problems(tmp_path)} == {
        "there is no playbook 'gone'",
        "there is no page '77-gone'",
    }


def test_a_claim_of_an_unknown_topic_is_found(tmp_path: Path) -> None:
    """An id must start with a topic that leads to a playbook."""
    write_base(tmp_path, claim("weather-one"))
    ((message, _),) = problems(tmp_path)
    assert message == "the topic 'weather' of weather-one has no playbook in routes.toml"


def test_a_playbook_says_when_to_stop(tmp_path: Path) -> None:
    """A playbook without its parts is a problem."""
    write_base(tmp_path)
    (tmp_path / "playbooks" / "oom.md").write_text("# x\n\n## Steps\n\n1. y\n   Evidence: z\n")
    assert problems(tmp_path) == [("the playbook lacks '## Stop when'", "playbooks/oom.md:1:1")]


def test_a_figure_is_listed_once_and_with_a_link(tmp_path: Path) -> None:
    """Two rows with one id, an unknown unit and a source that is no link are problems."""
    columns = FIGURES.split()
    row = "f | llama | v6e-8 | 8 | 8 | bf16 | c | 400 | furlongs | device | valid | - | a book | 2026-01-01"
    table = (
        f"\n### table: figures\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n| {row} |\n| {row} |\n"
    )
    write_base(tmp_path, claim() + table)
    found = {message for message, _ in problems(tmp_path)}
    assert found == {
        "the figure f is listed twice",
        "the figure f has no source link",
        "the figure f has the unknown unit 'furlongs'",
    }


def test_playbooks_name_commands_that_exist() -> None:
    """A step tells the expert to run a command of tpuguru: it is one of the program's."""
    planned = {"claim", "propose", "rehearse", "doctor"}
    known = {path.stem for path in Path("src/tpuguru/cli/commands").glob("*.py")} | planned
    for path in sorted(data_directory("playbooks").glob("*.md")):
        named = set(re.findall(r"`tpuguru ([a-z]+)", path.read_text(encoding="utf-8")))
        assert named <= known, f"{path.name}: {named - known}"
        assert path.stem == "unknown" or named or "[[" in path.read_text(encoding="utf-8"), path.name

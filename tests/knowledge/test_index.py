"""Search and its stored index: same answers every time, edits seen at once, damage harmless."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.knowledge.pages import claim, opened, write_base

from tpuguru.base.errors import UsageError
from tpuguru.knowledge import KnowledgeBase, open_knowledge


def found(base: KnowledgeBase, query: str) -> list[str]:
    return [hit.claim.id for hit in base.search(query)]


def test_words_are_found_in_any_form(tmp_path: Path) -> None:
    """Porter stems make «recompiles» and «recompilation» one word."""
    write_base(
        tmp_path, claim("mem-one", "Every new shape recompiles"), claim("mem-two", "Buffers are donated")
    )
    base = opened(tmp_path)
    assert found(base, "recompilation") == found(base, "recompiling") == ["mem-one"]
    assert found(base, "donating a buffer") == ["mem-two"]


def test_identifiers_are_found_whole_and_by_parts(tmp_path: Path) -> None:
    """A flag is found as written, with other separators and by a part; the whole counts most."""
    write_base(
        tmp_path,
        claim("mem-flag", "The flag --mem-fraction-static keeps room"),
        claim("mem-part", "A fraction of memory is kept"),
    )
    base = opened(tmp_path)
    assert found(base, "mem_fraction_static")[0] == "mem-flag"
    assert found(base, "--mem-fraction-static")[0] == "mem-flag"
    assert "mem-flag" in found(base, "fraction")


def test_chinese_finds_english_claims(tmp_path: Path) -> None:
    """The glossary leads from Chinese words to the English claim, and Han pairs find Chinese aliases."""
    write_base(
        tmp_path,
        claim("mem-oom", "The step runs out of memory"),
        claim("mem-ckpt", "A save is large", aliases="断点续训"),
    )
    base = opened(tmp_path)
    assert found(base, "显存不足怎么办")[0] == "mem-oom"
    assert found(base, "断点续训的问题") == ["mem-ckpt"]


def test_a_superseded_number_comes_after_its_successor(tmp_path: Path) -> None:
    """Both are found; the old figure is not the first."""
    text = "The rate is high"
    old = claim("mem-a", text, mark="🔴", conditions="v1")
    new = claim("mem-b", text, mark="🔴", conditions="v2", supersedes="mem-a")
    write_base(tmp_path, old, new)
    assert found(opened(tmp_path), "rate is high") == ["mem-b", "mem-a"]


def test_an_edit_is_seen_by_the_next_command(tmp_path: Path) -> None:
    """The stored index belongs to the pages' content: a changed page is never answered from the old one."""
    write_base(tmp_path, claim("mem-one", "Donation frees buffers"))
    assert found(opened(tmp_path), "donation") == ["mem-one"]
    write_base(tmp_path, claim("mem-one", "Sharding frees buffers"))
    assert found(opened(tmp_path), "donation") == []
    assert found(opened(tmp_path), "sharding") == ["mem-one"]


def test_the_index_is_reused_and_old_ones_go(tmp_path: Path) -> None:
    """One file per content, at most four are kept."""
    for number in range(7):
        write_base(tmp_path, claim("mem-one", f"Statement number {number}"))
        opened(tmp_path)
        opened(tmp_path)
    assert 1 <= len(list((tmp_path / "cache").iterdir())) <= 4


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0garbage", b"\0" * 5000])
def test_a_damaged_index_is_built_again(tmp_path: Path, damage: bytes) -> None:
    """A broken or truncated file costs a rebuild, nothing else."""
    write_base(tmp_path)
    opened(tmp_path)
    (stored,) = (tmp_path / "cache").glob("*.sqlite")
    stored.write_bytes(damage)
    assert found(opened(tmp_path), "thing") == ["mem-one"]
    assert sqlite3.connect(stored).execute("select count(*) from claims").fetchone() == (1,)


def test_an_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    """Where nothing can be kept the index is built for this command."""
    write_base(tmp_path)
    (tmp_path / "cache").write_text("a file stands where the folder would")
    assert found(opened(tmp_path), "thing") == ["mem-one"]


def test_an_unknown_claim_names_the_nearest(shipped: KnowledgeBase) -> None:
    """A typing slip in an id is answered with the ids that were meant."""
    with pytest.raises(UsageError) as caught:
        shipped.claim("mem-donatoin")
    assert "mem-donation" in (caught.value.help or "")


def test_a_folder_without_pages_is_an_error(tmp_path: Path) -> None:
    """An empty or missing folder says what is expected there."""
    with pytest.raises(UsageError, match="no knowledge pages"):
        open_knowledge(tmp_path, tmp_path, tmp_path / "cache")


def test_a_page_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are named with their place, not shown as a traceback."""
    write_base(tmp_path)
    (tmp_path / "knowledge" / "07-x.md").write_bytes(b"---\n\xff\xfe")
    with pytest.raises(UsageError, match=r"07-x\.md is not UTF-8 text \(byte 4\)"):
        opened(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.sampled_from(['"', "a OR", "NEAR(", "title:x", "*", "--", "显", "\x00"]))
def test_any_query_is_searched_twice_alike(shipped: KnowledgeBase, query: str) -> None:
    """No query breaks the search, FTS5's own syntax included, and the same query gives the same hits."""
    first = [(hit.claim.id, hit.score) for hit in shipped.search(query, 8)]
    assert first == [(hit.claim.id, hit.score) for hit in shipped.search(query, 8)]
    assert len(first) <= 8
    assert all(0.0 <= hit.coverage <= 1.0 + 1e-9 for hit in shipped.search(query, 8))


def test_two_builds_give_one_order(tmp_path: Path, shipped: KnowledgeBase) -> None:
    """An index built elsewhere from the same pages orders its hits the same."""
    other = open_knowledge(cache=tmp_path / "elsewhere")
    for query in ("slow step", "显存不足", "RESOURCE_EXHAUSTED", "loss is NaN"):
        assert found(other, query) == found(shipped, query)

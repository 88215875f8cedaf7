"""Where rules come from, and the store that keeps checked ones: fast, and never stale."""

import os
import time
from pathlib import Path

import pytest
from tests.rules.facts import VOCABULARY
from tests.rules.rule_files import catalog, write_rule

from tpuguru.base.errors import UsageError
from tpuguru.facts.schema import FactType, Field, Vocabulary
from tpuguru.rules import reading
from tpuguru.rules.catalog import find_project, load_catalog, load_roots


def age(path: Path) -> None:
    """Make a file old enough for its stamp to be trusted."""
    old = time.time_ns() - 10_000_000_000
    os.utime(path, ns=(old, old))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust stamps at once; the change time of a file cannot be set back."""
    monkeypatch.setattr("tpuguru.rules.store._SETTLING_NS", -1)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Record which rule files are read and checked anew."""
    seen: list[Path] = []
    real = reading.read_rule_file

    def counting(path: Path, vocabulary: Vocabulary, provenance: str = "shipped") -> object:
        seen.append(path)
        return real(path, vocabulary, provenance)

    monkeypatch.setattr(reading, "read_rule_file", counting)
    return seen


@pytest.mark.usefixtures("settled")
def test_an_unchanged_file_is_not_read_again(tmp_path: Path, reads: list[Path]) -> None:
    """A cold start must not parse every rule."""
    write_rule(tmp_path / "rules")
    first = catalog(tmp_path / "rules")
    second = catalog(tmp_path / "rules")
    assert len(reads) == 1
    assert first.rules == second.rules


@pytest.mark.usefixtures("settled")
def test_a_changed_file_takes_effect_at_the_next_start(tmp_path: Path) -> None:
    """Editing a rule needs no release and no cache to be cleared."""
    path = write_rule(tmp_path / "rules", when="job.flag")
    assert catalog(tmp_path / "rules").rules[0].when.text == "job.flag"
    write_rule(tmp_path / "rules", when="job.othr")
    with pytest.raises(UsageError):
        catalog(tmp_path / "rules")
    write_rule(tmp_path / "rules", when="not job.flag")
    assert catalog(tmp_path / "rules").rules[0].when.text == "not job.flag"
    path.unlink()
    assert len(catalog(tmp_path / "rules")) == 0


def test_a_fresh_file_is_not_trusted_to_its_stamp(tmp_path: Path, reads: list[Path]) -> None:
    """Two edits within one tick of the clock leave the same stamp; the second one must count."""
    write_rule(tmp_path / "rules")
    catalog(tmp_path / "rules")
    catalog(tmp_path / "rules")
    assert len(reads) == 2


@pytest.mark.usefixtures("settled")
def test_another_vocabulary_checks_every_rule_again(tmp_path: Path) -> None:
    """A fact that is gone makes its rules faulty, although their files did not change."""
    write_rule(tmp_path / "rules")
    catalog(tmp_path / "rules")
    smaller = Vocabulary((Field("launch.framework", FactType.TEXT, "framework"),))
    with pytest.raises(UsageError, match=r"no fact is called job\.flag"):
        load_roots([("test", tmp_path / "rules")], smaller)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"key": 1}', b"\x00\xff", b'{"entries": 3, "key": "x"}']
)
def test_a_broken_store_is_made_again(tmp_path: Path, content: bytes) -> None:
    """The cache folder may be cut short, wiped or written by another version."""
    write_rule(tmp_path / "rules")
    catalog(tmp_path / "rules")
    stores = list((tmp_path / "xdg_cache_home").rglob("*.json"))
    assert len(stores) == 1
    stores[0].write_bytes(content)
    assert len(catalog(tmp_path / "rules")) == 1


def test_a_store_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read-only homes exist."""
    write_rule(tmp_path / "rules")
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(catalog(tmp_path / "rules")) == 1


def test_the_users_and_the_repositorys_rules_are_added(tmp_path: Path) -> None:
    """Appending a rule needs no code and no release."""
    extra = 'message: "x"\n'
    write_rule(
        tmp_path / "xdg_config_home" / "tpuguru" / "rules", "my-own", identifier="R-U01",
        when="len(launch.duplicate_settings) > 0", extra=extra, body=BODY_OF_LAUNCH,
    )  # fmt: skip
    project = tmp_path / "repository"
    write_rule(
        project / ".tpuguru" / "rules", "our-own", identifier="R-U02",
        when="len(launch.duplicate_settings) > 1", body=BODY_OF_LAUNCH,
    )  # fmt: skip
    deep = project / "scripts" / "training"
    deep.mkdir(parents=True)
    assert find_project(deep) == project
    loaded = load_catalog(find_project(deep))
    assert loaded.rule("my-own").provenance == "user"
    assert loaded.rule("R-U02").provenance == "project"
    assert len(loaded) > 50


BODY_OF_LAUNCH = """
## Why

w

## Cost

c

## Fix

f

## Skip when

s

## Examples

### Bad: b

```facts
launch.duplicate_settings = ["a", "b"]
```

### Good: g

```facts
launch.duplicate_settings = []
```
"""


def test_an_unknown_rule_is_an_error_with_the_nearest_one(tmp_path: Path) -> None:
    """`explain` and `--select` are typed by people."""
    write_rule(tmp_path / "rules")
    loaded = catalog(tmp_path / "rules")
    assert loaded.rule("r-x01").name == "some-rule"
    with pytest.raises(UsageError) as caught:
        loaded.rule("some-rul")
    assert caught.value.help == "did you mean some-rule?"


def test_the_shipped_vocabulary_is_the_default() -> None:
    """The test vocabulary must not leak into what users get."""
    assert VOCABULARY.get("maxtext.remat.policy") is None
    assert load_catalog().rule("remat-key-without-custom-policy").id == "R-T12"

"""The knowledge base that ships with tpuguru, indexed once for all tests of this folder."""

from pathlib import Path

import pytest

from tpuguru.knowledge import KnowledgeBase, open_knowledge


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """The real pages, glossary and playbooks."""
    return open_knowledge(cache=tmp_path_factory.mktemp("index"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands under test keep their index in the test's own folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache-home"))

"""A toolchain without a framework: a real environment, made by the real installer, with a toy worker in it."""

from pathlib import Path

import pytest
from tests.aot import toy
from tests.toolchain import toolchain_python

from tpuguru.aot.job import AotJob


@pytest.fixture(scope="session")
def toy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the toy toolchain once and return the cache folder that holds it."""
    root = tmp_path_factory.mktemp("toy")
    toy.write_data(root / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(root / "cache"))
        toy.use_data(root / "data", patch)
        toy.install()
    return root


@pytest.fixture
def toy_toolchain(toy_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AotJob:
    """Point tpuguru at the toy toolchain and an empty run store; give a job for it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(toy_cache / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TPUGURU_COMPILE_SLOTS", "4")
    toy.use_data(toy_cache / "data", monkeypatch)
    return toy.job()


@pytest.fixture
def real_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AotJob:
    """Give a tiny launch for the MaxText toolchain; skipped where that is not installed and may not be."""
    toolchain_python()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return toy.tiny_maxtext()

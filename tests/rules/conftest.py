"""Every test of this room has a cache of its own, so that none sees another's rules."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folders(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("toolchain"):
        return  # the toolchain lies in the user's cache and is not installed for each test
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))

"""Where data, caches, configuration and runs live on disk."""

import os
from pathlib import Path
from typing import Literal

type DataName = Literal["knowledge", "playbooks", "rules", "hardware", "contracts", "toolchains", "native"]

_PACKAGE = Path(__file__).resolve().parents[1]


def data_directory(name: DataName) -> Path:
    """Return a folder of expert-edited data: in the package for a wheel, else at the repository's top."""
    shipped = _PACKAGE / "_data" / name
    return shipped if shipped.is_dir() else _PACKAGE.parents[1] / name


def _user_directory(variable: str, default: str) -> Path:
    base = os.environ.get(variable, "")
    # A relative path is to be ignored (XDG Base Directory Specification), and litters where one is.
    return (Path(base) if Path(base).is_absolute() else Path.home() / default) / "tpuguru"


def cache_directory() -> Path:
    """Return the folder for what can be made again: toolchains, compiled catalogs, indexes."""
    return _user_directory("XDG_CACHE_HOME", ".cache")


def config_directory() -> Path:
    """Return the folder of the user's own settings and rules."""
    return _user_directory("XDG_CONFIG_HOME", ".config")


def state_directory() -> Path:
    """Return the folder of stored runs and bug reports."""
    return _user_directory("XDG_STATE_HOME", ".local/state")

"""The toolchains' interpreters, for tests that ask the real compiler."""

import os
import shutil
import sys
from pathlib import Path

import pytest

_MAXTEXT = "maxtext==0.2.5"
_TORCH = "torchtpu==0.2.0"
_VALUES = "values==0.12.0.1"
_TORCH_FREE_BYTES = 15_000_000_000


def toolchain_python() -> Path:
    """Return the MaxText toolchain's interpreter.

    $TPUGURU_TEST_TOOLCHAIN_PYTHON names one; else the installed toolchain's is taken. Where it is not installed, it is
    installed when $TPUGURU_TEST_INSTALL_TOOLCHAIN is 1 (as in CI), and otherwise the test is skipped.
    """
    named = os.environ.get("TPUGURU_TEST_TOOLCHAIN_PYTHON", "")
    return Path(named) if named else _installed(_MAXTEXT)


def torch_python() -> Path:
    """Return TorchTPU's interpreter in the same way ($TPUGURU_TEST_TORCH_PYTHON), and have values computed.

    It takes 4.6 GB; where less than 15 GB are free the test is skipped rather than the disk filled.
    """
    named = os.environ.get("TPUGURU_TEST_TORCH_PYTHON", "")
    if named:
        return Path(named)
    from tpuguru.base.locations import cache_directory  # noqa: PLC0415 - only these tests need it

    place = next(folder for folder in (cache_directory(), *cache_directory().parents) if folder.is_dir())
    if _missing(_TORCH) and shutil.disk_usage(place).free < _TORCH_FREE_BYTES:
        pytest.skip(f"toolchain {_TORCH} is not installed, and less than 15 GB are free for it in {place}")
    _installed(_VALUES)
    return _installed(_TORCH)


def show_values_toolchain(cache: Path) -> None:
    """Have the values toolchain, where it is installed, found in another cache folder too."""
    from tpuguru.aot.toolchains.catalog import find_toolchain  # noqa: PLC0415 - only these tests need it

    toolchain = find_toolchain(_VALUES)
    folder = toolchain.python.parent.parent
    link = cache / "tpuguru" / "toolchains" / folder.name
    if toolchain.installed() and not link.exists():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder, target_is_directory=True)


def _missing(key: str) -> bool:
    from tpuguru.aot.toolchains.catalog import find_toolchain  # noqa: PLC0415 - only these tests need it

    return not find_toolchain(key).installed()


def _installed(key: str) -> Path:
    from tpuguru.aot.toolchains.catalog import find_toolchain  # noqa: PLC0415 - only these tests need it

    toolchain = find_toolchain(key)
    if not toolchain.installed():
        if os.environ.get("TPUGURU_TEST_INSTALL_TOOLCHAIN") != "1":
            pytest.skip(
                f"toolchain {key} is not installed; set TPUGURU_TEST_INSTALL_TOOLCHAIN=1 to install it"
            )
        toolchain.install(lambda message: print(message, file=sys.stderr))
    return toolchain.python

"""The MaxText toolchain's interpreter, for tests that ask the real compiler."""

import os
import sys
from pathlib import Path

import pytest

_KEY = "maxtext==0.2.5"


def toolchain_python() -> Path:
    """Return the toolchain's interpreter.

    $TPUGURU_TEST_TOOLCHAIN_PYTHON names one; else the installed toolchain's is taken. Where it is not installed, it is
    installed when $TPUGURU_TEST_INSTALL_TOOLCHAIN is 1 (as in CI), and otherwise the test is skipped.
    """
    named = os.environ.get("TPUGURU_TEST_TOOLCHAIN_PYTHON", "")
    if named:
        return Path(named)
    from tpuguru.aot.toolchains.catalog import find_toolchain  # noqa: PLC0415 - only these tests need it

    toolchain = find_toolchain(_KEY)
    if not toolchain.installed():
        if os.environ.get("TPUGURU_TEST_INSTALL_TOOLCHAIN") != "1":
            pytest.skip(
                f"toolchain {_KEY} is not installed; set TPUGURU_TEST_INSTALL_TOOLCHAIN=1 to install it"
            )
        toolchain.install(lambda message: print(message, file=sys.stderr))
    return toolchain.python

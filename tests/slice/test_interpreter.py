"""Which Python a command line runs."""

import sys
from pathlib import Path

import pytest

from tpuguru.slice.interpreter import interpreter_of


@pytest.mark.parametrize("command", [["env", "A=1", sys.executable, "x.py"], [sys.executable, "x.py"]])
def test_the_interpreter_that_a_command_names(command: list[str]) -> None:
    """It may stand behind a program that only prepares its environment."""
    assert interpreter_of(command) == Path(sys.executable)

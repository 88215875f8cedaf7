"""Commands that run one of our workers in the user's Python, where tpuguru itself may not be installed."""

from pathlib import Path

_FOLDER = str(Path(__file__).parent)
# The worker is found by its place; afterwards the path is the user's own again. -P keeps the folder that the
# user happens to be in off it.
_START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from workers import {name}
del sys.path[0]
{name}.main()
"""


def worker_command(python: str, name: str, *arguments: str) -> list[str]:
    """Return the command that runs ``main`` of ``workers/<name>.py``, ``arguments`` in ``sys.argv[1:]``."""
    return [python, "-P", "-c", _START.format(name=name), _FOLDER, *arguments]

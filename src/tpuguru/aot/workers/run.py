"""Entry point inside a toolchain's Python: ``python -P run.py WORKER STDOUT_LOG``.

Requests come on stdin, events go to stdout.
"""

import importlib
import sys
from pathlib import Path

# ``-P`` keeps this folder off the path on purpose (nothing here may shadow an installed package by accident);
# it is added last, after everything that is installed.
sys.path.append(str(Path(__file__).resolve().parent))

from worker_kit.channel import Channel
from worker_kit.serve import serve


def main() -> None:
    """Load the worker that was named and answer its requests until stdin ends."""
    worker, stdout_log = sys.argv[1:3]
    channel = Channel(stdout_log)
    serve(channel, importlib.import_module(worker))


if __name__ == "__main__":
    main()

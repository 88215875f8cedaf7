"""Entry point: find the command, run it, and turn errors into one clear sentence and an exit code."""

import sys

from tpuguru import __version__

_VERSION_ARGUMENTS = (["--version"], ["-V"])


def main(arguments: list[str] | None = None) -> int:
    """Run tpuguru with ``arguments`` (default: the process's own) and return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if words in _VERSION_ARGUMENTS:  # before any import: people and scripts ask this often
        try:
            print(f"tpuguru {__version__}", flush=True)
        except OSError:
            return 4  # nowhere to print to; importing the guard would cost more than it says
        return 0
    from tpuguru.cli.dispatch import dispatch  # noqa: PLC0415

    return dispatch(words)


if __name__ == "__main__":
    sys.exit(main())

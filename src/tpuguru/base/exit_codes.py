"""The exit codes of every command, the same in every output format."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process exit status means; documented in docs/exit-codes.md."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    NOTHING_TO_CHECK = 3
    TOOL_FAILURE = 4
    INTERRUPTED = 130

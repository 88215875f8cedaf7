"""Errors a user can cause: one clear sentence, where, and what to do."""

from tpuguru.base.exit_codes import ExitCode
from tpuguru.base.location import Location


class TpuguruError(Exception):
    """Base of the errors that the command line prints as one sentence, without a traceback."""

    exit_code = ExitCode.TOOL_FAILURE

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        help: str | None = None,  # noqa: A002 - the word the output uses
        details: str = "",
    ) -> None:
        """Keep what went wrong, where (file, line, column), what the user can do, and an excerpt to show."""
        super().__init__(message)
        self.message = message
        self.location = location
        self.help = help
        self.details = details


class UsageError(TpuguruError):
    """The command line, a configuration file, a rule or an input file is wrong."""

    exit_code = ExitCode.USAGE


class NothingToCheckError(TpuguruError):
    """The input holds nothing that tpuguru can check; never reported as success."""

    exit_code = ExitCode.NOTHING_TO_CHECK


class ToolFailureError(TpuguruError):
    """A toolchain, compiler or executor broke: neither a finding nor the user's fault."""

    exit_code = ExitCode.TOOL_FAILURE

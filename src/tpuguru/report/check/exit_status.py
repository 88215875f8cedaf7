"""The exit status of a check, the same in every format."""

from tpuguru.base.exit_codes import ExitCode
from tpuguru.report.check.run import CheckResult

_ORDER = ("info", "warn", "critical")


def exit_status(result: CheckResult, fail_on: str) -> ExitCode:
    """Return 4 when a tool broke, 1 for a launch that is rejected, does not fit or has findings, else 0.

    ``fail_on`` is the lowest severity that counts; ``never`` leaves only tool failures.
    """
    if result.tool_failed:
        return ExitCode.TOOL_FAILURE
    if fail_on == "never":
        return ExitCode.CLEAN
    if result.report.verdict.outcome != "fits":
        return ExitCode.FINDINGS
    counting = _ORDER[_ORDER.index(fail_on) :]
    found = any(
        finding.severity in counting and not finding.suppressed_by for finding in result.report.findings
    )
    return ExitCode.FINDINGS if found else ExitCode.CLEAN

"""The command ``rehearse``: consent, the run with its output, the report, the exit code."""

import shlex
import sys
import time

import msgspec

from tpuguru.base.errors import UsageError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.base.redaction import redact, redact_value
from tpuguru.report.rehearsal.comparison import comparison_text
from tpuguru.report.rehearsal.computing import with_values_toolchain
from tpuguru.report.rehearsal.contract import to_contract
from tpuguru.report.rehearsal.judge import findings_of
from tpuguru.report.rehearsal.text import rehearsal_text
from tpuguru.report.rehearsal.view import RehearsalView, view_of
from tpuguru.slice.rehearse import Rehearsal, RehearsalRequest, environment_shown, rehearse
from tpuguru.slice.stored import load_rehearsal, stored_rehearsals


def rehearse_command(request: RehearsalRequest, *, yes: bool, output_format: str) -> int:
    """Run it and print the report. The program's own output goes to the standard error, figures blanked."""
    ask(request, yes=yes)
    return _report(rehearse(with_values_toolchain(request), show_line), output_format)


def show_command(run_id: str, output_format: str) -> int:
    """Print the report of a kept rehearsal again; the exit code is that of the rehearsal."""
    return _report(load_rehearsal(run_id), output_format)


def compare_command(before: str, after: str) -> int:
    """Print what differs between two kept rehearsals."""
    print(comparison_text(judged(load_rehearsal(before)), judged(load_rehearsal(after))))
    return ExitCode.CLEAN


def list_command() -> int:
    """Print every kept rehearsal, the newest first."""
    for each in stored_rehearsals():
        print(f"{each.run_id}  {each.state:11}  {each.slice:12}  {redact(shlex.join(each.command))[:120]}")
    return ExitCode.CLEAN


def _report(rehearsal: Rehearsal, output_format: str) -> int:
    view = judged(rehearsal)
    if output_format == "json":
        print(msgspec.json.format(msgspec.json.encode(to_contract(view)), indent=2).decode())
    else:
        print(rehearsal_text(view))
    return exit_code(view)


def judged(rehearsal: Rehearsal) -> RehearsalView:
    """Read a rehearsal and ask the rules about it."""
    view = view_of(rehearsal, _Progress())
    if view.facts is not None:
        view.findings = findings_of(view.facts)
    return view


def exit_code(view: RehearsalView) -> ExitCode:
    """0: the program (or the wanted steps) ended well. 1: it failed, was stopped, or is deadlocked.

    3: it never asked for a TPU. 130: the user interrupted it.
    """
    match view.outcome:
        case "interrupted":
            return ExitCode.INTERRUPTED
        case "end":
            return ExitCode.CLEAN if view.records else ExitCode.NOTHING_TO_CHECK
        case _:
            return ExitCode.FINDINGS


def consent_text(request: RehearsalRequest) -> str:
    """Return what the user agrees to: the exact command, folder and environment."""
    variables = "\n".join(
        f"    {name}={redact_value(name, value)}" for name, value in environment_shown(request).items()
    )
    network = (
        "with this machine's network" if request.network else "without network (where the system allows)"
    )
    return (
        f"This runs your own program, with your rights, {network}:\n"
        f"    {redact(shlex.join(request.command))}\n"
        f"in the folder\n    {request.folder}\n"
        f"on a virtual {request.slice.name}, for at most {request.seconds:.0f} s, "
        f"adding to the environment\n{variables}"
    )


def ask(request: RehearsalRequest, *, yes: bool, beside: str = "") -> None:
    """Show what would run and ask. UsageError when the answer is no, or nobody can answer."""
    print("\n".join(filter(None, (consent_text(request), beside))), file=sys.stderr)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here whether to run this", help="add --yes if it may be run")
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("not run")


def show_line(rank: int, stream: str, line: str) -> None:
    """Pass a line of the program on to the standard error, with its rank."""
    print(f"[{rank}{'!' if stream == 'err' else ''}] {line}", file=sys.stderr)


class _Progress:
    """Names what is read, at most once a second; a short reading stays silent."""

    def __init__(self) -> None:
        self._told = time.monotonic()

    def __call__(self, what: str) -> None:
        if time.monotonic() - self._told > 1:
            self._told = time.monotonic()
            print(what, file=sys.stderr, flush=True)

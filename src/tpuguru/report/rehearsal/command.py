"""The command ``rehearse``: consent, the run with its output, the report, the exit code."""

import shlex
import sys

import msgspec

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.base.redaction import redact
from tpuguru.report.contracts.rehearsal import to_contract
from tpuguru.report.rehearsal.text import rehearsal_text
from tpuguru.slice.records import Records, read_records
from tpuguru.slice.rehearse import Rehearsal, RehearsalRequest, environment_shown, rehearse
from tpuguru.slice.summary import summarise


def rehearse_command(request: RehearsalRequest, *, yes: bool, output_format: str) -> int:
    """Run it and print the report. The program's own output goes to the standard error, figures blanked."""
    _ask(request, yes=yes)
    rehearsal = rehearse(request, _show)
    records = _records(rehearsal)
    summary = summarise(records, rehearsal.ready_at) if records else None
    if output_format == "json":
        report = to_contract(rehearsal, records, summary)
        print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        print(rehearsal_text(rehearsal, records, summary))
    return exit_code(rehearsal, records)


def exit_code(rehearsal: Rehearsal, records: Records | None) -> ExitCode:
    """0: the program (or the wanted steps) ended well. 1: it failed, was stopped, or is deadlocked.

    3: it never asked for a TPU. 130: the user interrupted it.
    """
    if rehearsal.interrupted:
        return ExitCode.INTERRUPTED
    steps_done = records is not None and any(error.kind == "steps" for error in records.errors)
    if rehearsal.deadlocks or (rehearsal.reason and not steps_done):
        return ExitCode.FINDINGS
    if any(code != 0 for code in rehearsal.codes) and not steps_done:
        return ExitCode.FINDINGS
    return ExitCode.CLEAN if records else ExitCode.NOTHING_TO_CHECK


def consent_text(request: RehearsalRequest) -> str:
    """Return what the user agrees to: the exact command, folder and environment."""
    variables = "\n".join(f"    {name}={value}" for name, value in environment_shown(request).items())
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


def _ask(request: RehearsalRequest, *, yes: bool) -> None:
    print(consent_text(request), file=sys.stderr)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here whether to run this", help="add --yes if it may be run")
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("not run")


def _show(rank: int, stream: str, line: str) -> None:
    print(f"[{rank}{'!' if stream == 'err' else ''}] {line}", file=sys.stderr)


def _records(rehearsal: Rehearsal) -> Records | None:
    try:
        return read_records(rehearsal.records)
    except NothingToCheckError:
        return None

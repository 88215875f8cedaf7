"""A check by rehearsal: the launch's own command on a virtual slice, judged with what it says and did."""

from pathlib import Path

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import OriginKind
from tpuguru.facts.value import FactValue, Value
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Paste
from tpuguru.report.check import lint
from tpuguru.report.check.options import CheckOptions
from tpuguru.report.check.progress import Progress
from tpuguru.report.check.rehearsed.assemble import Rehearsed, assemble
from tpuguru.report.check.rehearsed.command import Rehearsable, rehearsable
from tpuguru.report.check.rehearsed.request import request_of, target_of
from tpuguru.report.contracts.check import CheckReport
from tpuguru.report.rehearsal.command import ask, show_line
from tpuguru.report.rehearsal.view import RehearsalView, view_of
from tpuguru.slice.rehearse import rehearse


def check_by_rehearsal(paste: Paste, options: CheckOptions) -> CheckReport:
    """Run the command of a paste on a virtual slice, after the user agreed to it, and report.

    NothingToCheckError when the paste runs no program, UsageError when it cannot be run as written or the
    user does not agree, ToolFailureError when the virtual slice fails. KeyboardInterrupt leaves nothing
    running.
    """
    say, folder = Progress(quiet=options.quiet), Path.cwd()
    found = rehearsable(paste, options.variant, folder)
    target = target_of(found, options.slice_name)
    request = request_of(found, target, options, folder)
    judging = lint.judge_for(paste.path)
    ask(request, yes=options.yes)
    rehearsal = rehearse(request, _quiet if options.quiet else show_line)
    if rehearsal.interrupted:
        raise KeyboardInterrupt
    view = view_of(rehearsal, say)
    facts = _facts(found, target, view)
    judged = lint.judge_facts(judging, found.launch, facts)
    view.findings = judged.findings
    return assemble(Rehearsed(paste, found, facts, judged, view))


def _quiet(rank: int, stream: str, line: str) -> None:
    """Show nothing of the program's output; it is in the rehearsal's folder."""


def _facts(found: Rehearsable, target: Target, view: RehearsalView) -> Facts:
    """Return what the launch says and what the rehearsal showed."""
    side = compiling(found.launch.framework)
    facts = side.facts(found.launch, target, None) if side else _launch_facts(found, target)
    framework = facts.get("launch.framework")
    if view.facts is not None:
        facts.update(view.facts)
    facts.put("launch.framework", framework)
    return facts


def _launch_facts(found: Rehearsable, target: Target) -> Facts:
    from tpuguru.hardware.facts import hardware_facts  # noqa: PLC0415 - read only here

    chosen = target.slice
    facts = Facts(hardware_facts(chosen, target.origin))
    facts.set("launch.framework", found.launch.framework, OriginKind.COMMAND)
    facts.set("launch.entry_point", found.launch.entry_point, OriginKind.COMMAND)
    counted: dict[str, FactValue] = {
        "accelerator": chosen.chip.name,
        "slice": chosen.text,
        "devices": chosen.devices,
        "chips": chosen.chips,
        "hosts": chosen.hosts,
        "slices": chosen.slices,
    }
    for name, value in counted.items():
        facts.put(f"launch.{name}", Value(value, target.origin))
    return facts

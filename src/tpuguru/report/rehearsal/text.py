"""A rehearsal's report as text: first one screen of what matters, then the details."""

from collections.abc import Iterator

from tpuguru.base.redaction import redact
from tpuguru.facts.finding import LEVEL_SIGNS, Finding
from tpuguru.report.rehearsal.details import details_lines
from tpuguru.report.rehearsal.memory_text import memory_lines
from tpuguru.report.rehearsal.step_text import step_lines
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.report.rehearsal.words import counted, short
from tpuguru.slice.records import Records

_MOST_FINDINGS = 12
_MOST_TRACEBACKS = 4


def rehearsal_text(view: RehearsalView) -> str:
    """Return the report; without records the program never asked for a TPU."""
    lines = [*_ending(view)]
    if view.records is None or view.summary is None:
        hint = " (is JAX_PLATFORMS overridden in it?)" if view.outcome == "end" else ""
        lines.append(f"no TPU: the program never asked for one{hint}")
    else:
        lines += [*_slice(view.records), *memory_lines(view), *step_lines(view)]
        lines += [*_findings(view.findings), "", *details_lines(view), *_hint(view)]
    lines += [f"note: {note}" for note in view.rehearsal.notes]
    if view.rehearsal.blanked:
        lines.append(
            f"{view.rehearsal.blanked} times or rates in the output were blanked: here they mean nothing"
        )
    lines.append(f"rehearsal {view.rehearsal.run_id}: {view.rehearsal.folder}")
    return "\n".join(lines)


def _ending(view: RehearsalView) -> Iterator[str]:
    rehearsal = view.rehearsal
    match view.outcome:
        case "interrupted":
            yield "interrupted"
        case "deadlock":
            yield from _deadlocks(view)
        case "stopped":
            yield f"stopped: {rehearsal.reason}"
        case "failed":
            codes = ", ".join(f"rank {rank}: {code}" for rank, code in enumerate(rehearsal.codes) if code)
            yield f"the program failed (exit code of {codes})"
        case "end" if view.steps_done:
            yield f"ran the wanted steps in {rehearsal.seconds:.0f} s of this machine's time"
        case _:
            yield f"ran to its end in {rehearsal.seconds:.0f} s of this machine's time"
    if view.outcome != "end":
        yield from _where(view)
    if rehearsal.network_objection:
        yield f"note: the network could not be switched off here: {rehearsal.network_objection}"


def _deadlocks(view: RehearsalView) -> Iterator[str]:
    for each in view.rehearsal.deadlocks:
        certainty = "deadlock" if each["certain"] else "probable deadlock"
        yield f"{certainty}: {each['program']} was not entered by every rank"
        yield from (f"  waits    {rank}" for rank in each["waiting"])
        yield from (f"  missing  {rank}" for rank in each["missing"])


def _where(view: RehearsalView) -> Iterator[str]:
    """Say where it stopped: an error of ours or the compiler's, or each different traceback once."""
    errors = view.records.errors if view.records else []
    said = errors[-1].message.splitlines()[0] if errors else ""
    if errors:
        doing = "compiling" if errors[-1].kind == "compile" else "running"
        yield f"  {doing} {short(errors[-1].python) or 'a program'}: {redact(said[:300])}"
    first_of: dict[str, int] = {}
    for trace in view.output.tracebacks:
        if said and said in trace.exception:
            continue  # the framework's exception about the same
        line = f"{redact(trace.exception)}  ({short(trace.user_line or trace.raised_at)})"
        first_of.setdefault(line, trace.rank)
    for line, rank in list(first_of.items())[:_MOST_TRACEBACKS]:
        yield f"  rank {rank}: {line}"


def _slice(records: Records) -> Iterator[str]:
    first = records.clients[0]
    slices = f"{first.slices} × " if first.slices > 1 else ""
    yield (
        f"slice: {slices}{first.topology}, {counted(first.all_devices, 'device')} {first.device_kind}, "
        f"{len(records.clients)} process{'es' if len(records.clients) > 1 else ''}"
    )


def _findings(findings: tuple[Finding, ...]) -> Iterator[str]:
    if not findings:
        yield "look at: nothing that the rules know"
        return
    yield f"look at: {counted(len(findings), 'finding')}"
    for finding in findings[:_MOST_FINDINGS]:
        yield f"  {finding.severity.upper()} {finding.name} {LEVEL_SIGNS[finding.level]}: {finding.title}"
        for label, text in (("", finding.message), ("cost: ", finding.cost), ("fix: ", finding.fix)):
            if text and text != finding.title:
                yield f"    {label}{redact(' '.join(text.split()))}"


def _hint(view: RehearsalView) -> Iterator[str]:
    """Say what may have led a failed program astray."""
    if view.records and view.records.unknown_reads and view.outcome == "failed":
        yield "help: did it stop because of NaN? --unknown zero reads unknown floats as 0"

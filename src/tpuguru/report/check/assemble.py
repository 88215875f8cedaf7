"""Put the report together from what a check has found."""

from tpuguru.base.redaction import redact
from tpuguru.launch.model import Launch, Paste
from tpuguru.report.check import said
from tpuguru.report.check.choose import described
from tpuguru.report.check.memory import memory_record
from tpuguru.report.check.program import code_path_record, collective_records, flag_records
from tpuguru.report.check.settings import setting_records
from tpuguru.report.check.work import Work
from tpuguru.report.contracts.check import (
    CheckReport,
    InputRecord,
    RunRecordBrief,
    StackRecord,
    VerdictRecord,
)
from tpuguru.report.contracts.common import NotChecked, finding_record, location_record, tool_record

_NEVER = (
    ("speed", "a compile has no clock: nothing here says how fast the launch runs"),
    (
        "numerics",
        "a compile shows no values: compare logits on the chip before trusting a change of precision",
    ),
)


def assemble(work: Work) -> CheckReport:
    """Return the report."""
    record, extract = work.record, work.extract
    return CheckReport(
        tool=tool_record(),
        input=input_record(work.paste, work.launch),
        verdict=work.verdict or VerdictRecord("not_compiled", "not compiled", "none"),
        target=said.target_record(work.facts),
        stack=StackRecord(work.job.toolchain, dict(record.versions) if record else {}),
        filled_in=_filled_in(work),
        what_if=work.what_if,
        settings=setting_records(work.launch, work.proofs),
        findings=tuple(finding_record(finding) for finding in work.findings),
        mesh=said.mesh_record(work.facts),
        batch=said.batch_record(work.facts),
        code_path=code_path_record(extract.code_path, work.facts) if extract and work.compiled else None,
        collectives=collective_records(extract.collectives) if extract else (),
        memory=memory_record(extract.memory) if extract else None,
        flags=flag_records(extract.flags) if extract else (),
        phases={phase.name: phase.seconds for phase in record.phases} if record else {},
        runs=_runs(work),
        not_checked=_not_checked(work),
        errors=tuple(redact(error) for error in work.errors),
    )


def input_record(paste: Paste, launch: Launch) -> InputRecord:
    """Return what was pasted and which launch of it was chosen."""
    return InputRecord(
        path=paste.path,
        kind=paste.kind,
        framework=launch.framework,
        entry_point=launch.entry_point,
        variant=launch.variant,
        location=location_record(launch.location),
    )


def _filled_in(work: Work) -> tuple[str, ...]:
    notes = (note.message for note in work.launch.notes if note.kind == "filled-in")
    return tuple(redact(note) for note in (*notes, *work.filled_in))


def _runs(work: Work) -> tuple[RunRecordBrief, ...]:
    if work.record is None:
        return ()
    record = work.record
    return (RunRecordBrief(record.run_id, record.state.value, record.seconds, work.cached),)


def _not_checked(work: Work) -> tuple[NotChecked, ...]:
    entries = [*work.skipped]
    if work.extract is not None and work.compiled:
        entries += [(missing.what, missing.because) for missing in work.extract.missing]
    entries += undecided(work.cannot_tell, compiled=work.compiled)
    entries += [(described(launch), "one launch a check; --variant picks another") for launch in work.others]
    entries += [(note.kind, note.message) for note in work.launch.notes if note.kind != "filled-in"]
    return tuple(NotChecked(redact(what), redact(because)) for what, because in (*entries, *_NEVER))


def undecided(
    cannot_tell: tuple[tuple[str, tuple[str, ...]], ...], *, compiled: bool
) -> list[tuple[str, str]]:
    """Return the rules that lack a fact. Those that all lack a run, or a compiled program, are one entry."""
    about_a_run = [name for name, needs in cannot_tell if _any(needs, "observed.", "profile.")]
    rehearsed = [name for name, needs in cannot_tell if _any(needs, "rehearsal.")]
    aside = {*about_a_run, *rehearsed}
    others = [(name, needs) for name, needs in cannot_tell if name not in aside]
    unbuilt = [name for name, needs in others if not compiled and _any(needs, "compiled.")]
    entries = [(f"rule {name}", f"needs {', '.join(needs)}") for name, needs in others if name not in unbuilt]
    if unbuilt:
        entries.append(
            (f"{len(unbuilt)} rules about the compiled program ({', '.join(unbuilt)})", "there is none")
        )
    if rehearsed:
        entries.append(
            (f"{len(rehearsed)} rules about what a program does", "they need a rehearsal: check --rehearse")
        )
    if about_a_run:
        entries.append(
            (f"{len(about_a_run)} rules about logs and profiles", "they need a run: tpuguru diagnose LOG")
        )
    return entries


def _any(needs: tuple[str, ...], *prefixes: str) -> bool:
    return any(need.startswith(prefixes) for need in needs)

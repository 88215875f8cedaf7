"""The main job, from a paste to a report; each result is told as it arrives."""

from dataclasses import dataclass
from pathlib import Path

from tpuguru.aot.record import FailureKind
from tpuguru.base.errors import TpuguruError, UsageError
from tpuguru.facts.finding import Finding, Severity
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.registry import require_launches
from tpuguru.launch.model import Paste
from tpuguru.report.check import lint, toolchain
from tpuguru.report.check.assemble import assemble
from tpuguru.report.check.choose import choose_launch
from tpuguru.report.check.options import CheckOptions, Prove
from tpuguru.report.check.progress import Progress, Say
from tpuguru.report.check.rehearsed.command import is_program_of_ours
from tpuguru.report.check.verdict import refused, stopped_by_lint, verdict_of
from tpuguru.report.check.work import Work
from tpuguru.report.contracts.check import CheckReport

_FROM_ARTIFACTS = "code path, collectives and buffers"
_REFUSALS = (FailureKind.CONFIG_REJECTED, FailureKind.LOWER_FAILED, FailureKind.FLAG_REJECTED)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The report, and whether a tool rather than the launch stopped the check."""

    report: CheckReport
    tool_failed: bool


def check(paste: Paste, options: CheckOptions) -> CheckResult:
    """Check one launch of a paste.

    NothingToCheckError when the paste has no launch, UsageError when it cannot be compiled as asked,
    ToolFailureError when the toolchain is missing. KeyboardInterrupt leaves no half run.
    """
    if options.rehearse or is_program_of_ours(paste, Path.cwd()):
        return _rehearsed(paste, options)
    say = Progress(quiet=options.quiet)
    work = _begin(paste, options)
    say(f"{work.launch.framework} launch on {work.target.slice.text}: {len(work.launch.settings)} settings")
    if _before_compiling(work, say):
        _compile(work, say)
    return CheckResult(assemble(work), work.tool_failed)


def _rehearsed(paste: Paste, options: CheckOptions) -> CheckResult:
    """Run the launch's own command: asked for, or the only way for a program of no framework we compile."""
    from tpuguru.report.check.rehearsed.run import check_by_rehearsal  # noqa: PLC0415 - the slice is heavy

    return CheckResult(check_by_rehearsal(paste, options), tool_failed=False)


def _begin(paste: Paste, options: CheckOptions) -> Work:
    launch, others = choose_launch(require_launches(paste), options.variant)
    side = compiling(launch.framework)
    if side is None:
        raise UsageError(
            f"a {launch.framework} launch cannot be compiled ahead of time yet",
            location=launch.location,
            help=f"tpuguru lint {paste.path} judges it by its settings",
        )
    target = side.target(launch, options.slice_name)
    plan = side.plan(launch, target, options.toolchain or side.toolchain, options.seconds)
    return Work(
        paste=paste,
        launch=launch,
        others=others,
        options=options,
        side=side,
        target=target,
        job=plan.job,
        filled_in=plan.filled_in,
        facts=side.facts(launch, target, None),
        judge=lint.judge_for(paste.path),
    )


def _before_compiling(work: Work, say: Say) -> bool:
    """Judge what was said; tell whether a compile is worth its time."""
    work.refusals = _refusals(work, say)
    _judge(work)
    critical = lint.counting(work.findings, Severity.CRITICAL)
    say(f"lint: {len(work.findings)} findings, {len(critical)} critical")
    if critical and not work.options.force:
        names = {found.id for found in work.refusals}
        refused_by = tuple(found for found in critical if found.id in names)
        work.verdict = refused(refused_by) if refused_by else stopped_by_lint(critical)
    return work.verdict is None


def _judge(work: Work) -> None:
    judgement = lint.judge_facts(work.judge, work.launch, work.facts, work.refusals)
    work.findings = judgement.findings
    work.cannot_tell = judgement.cannot_tell


def _refusals(work: Work, say: Say) -> tuple[Finding, ...]:
    """Return what the framework refuses: by the tables and, where these refuse, by its own word."""
    version = toolchain.framework_version(work.job.toolchain)
    by_table = work.side.refusals(work.launch, version)
    if not any(found.severity is Severity.CRITICAL for found in by_table):
        return by_table
    if not toolchain.installed(work.job.toolchain):
        work.skipped.append(("the framework's own word on the refusal", "the toolchain is not installed"))
        return by_table
    failure = toolchain.own_refusal(work.job, say)
    if failure is None:
        say("the framework itself accepts the configuration; the tables' refusals are dropped")
        return tuple(found for found in by_table if found.severity is not Severity.CRITICAL)
    own = work.side.rejection(failure, work.launch)
    places = {(found.name, found.location) for found in by_table}
    return by_table if (own.name, own.location) in places else (own, *by_table)


def _compile(work: Work, say: Say) -> None:
    work.cached, work.record = toolchain.compile_job(work.job, say)
    failure = work.record.failure
    if failure is not None and not failure.kind.is_verdict:
        work.tool_failed = True
        work.errors.append(f"{failure.kind}: {failure.message}")
    _read_artifacts(work, say)
    limit = work.target.slice.chip.hbm_per_device
    work.verdict = verdict_of(work.record, work.extract, limit)
    say(f"verdict: {work.verdict.sentence}")
    _prove(work, say)
    _what_if(work, say)


def _read_artifacts(work: Work, say: Say) -> None:
    """Read the run's artifacts and judge again: rules can now compare said with compiled."""
    from tpuguru.report.check import compiled  # noqa: PLC0415 - the readers are heavy

    if work.record is None:
        return
    config = toolchain.resolved_config(work.record)
    if config is not None:
        work.facts = work.side.facts(work.launch, work.target, config)
    try:
        work.extract = compiled.extract_run(
            work.record, work.launch, work.target.slice.chip.hbm_per_device, say
        )
    except TpuguruError as error:
        work.skipped.append((_FROM_ARTIFACTS, error.message))
    except Exception as error:  # noqa: BLE001 - a reader's bug must not cost the verdict of a long compile
        work.tool_failed = True
        work.skipped.append((_FROM_ARTIFACTS, "their reader failed"))
        work.errors.append(f"a bug in reading the artifacts of {work.record.run_id}: {error!r}")
    else:
        from tpuguru.artifacts.facts import compiled_facts  # noqa: PLC0415

        work.facts.update(compiled_facts(work.extract))
    if work.record.failure is not None and work.record.failure.kind in _REFUSALS:
        work.refusals = (work.side.rejection(work.record.failure, work.launch), *work.refusals)
    _judge(work)


def _prove(work: Work, say: Say) -> None:
    if work.options.prove is Prove.NONE:
        work.skipped.append(("which settings do nothing", "not asked for (--prove none)"))
        return
    if work.verdict is None or work.verdict.stage in ("resolve", "lower") or work.tool_failed:
        work.skipped.append(("which settings do nothing", "the launch has no program to compare"))
        return
    work.proofs = toolchain.prove_settings(work.job, work.options.prove, say)


def _what_if(work: Work, say: Say) -> None:
    record, verdict = work.record, work.verdict
    if record is None or verdict is None or record.failure is None:
        return
    changes = work.side.changes(record.failure, work.facts)
    if not changes:
        return
    if not work.options.what_if:
        named = "; ".join(change.text for change in changes)
        work.skipped.append(
            ("whether a single change would fit", f"not asked for (--what-if tries: {named})")
        )
        return
    from tpuguru.report.check.what_if import try_changes  # noqa: PLC0415

    work.what_if = try_changes(work.job, changes, work.target.slice.chip.hbm_per_device, say)

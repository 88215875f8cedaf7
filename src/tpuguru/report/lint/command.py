"""What ``tpuguru lint`` does, without its argument parser."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.base.errors import TpuguruError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.launch.model import Paste
from tpuguru.report.contracts.findings import LintReport
from tpuguru.report.destinations import Output, write_whole
from tpuguru.report.lint.baseline import baseline_document
from tpuguru.report.lint.configuration import fail_on, severity
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.outputs import MACHINE_FORMATS, outputs, write_outputs
from tpuguru.report.lint.report import error_report, lint_report
from tpuguru.report.lint.run import LintRun, catalog_for, lint, settings_for
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import Catalog


@dataclass(frozen=True, slots=True)
class LintOptions:
    """The command line, read."""

    pastes: tuple[str, ...]
    hardware: tuple[tuple[str, str], ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_severity: str = ""
    fail_on: str = ""
    exit_zero: bool = False
    baseline: str = ""
    write_baseline: str = ""
    output_formats: tuple[str, ...] = ()
    show_suppressed: bool = False
    explain: str = ""
    no_config: bool = False
    show_settings: bool = False
    stdin_filename: str = ""


def lint_command(options: LintOptions, *, show: Callable[[LintRun, Catalog], str] | None = None) -> int:
    """Lint, write every output, and return the exit code.

    ``show`` renders standard output in place of the text format when no format was chosen. An error is
    written in the machine formats too, so that a reader of SARIF or JSON never meets an empty or half file,
    and is then raised for the front door to print.
    """
    chosen = outputs(options.output_formats)
    try:
        settings = effective_settings(options)
        if settings.output_formats and not options.output_formats:
            chosen = outputs(settings.output_formats)
        if options.show_settings:
            sys.stdout.write(settings_text(settings))
            return ExitCode.CLEAN
        catalog = catalog_for(options.pastes)
        run = lint(read_pastes(options), catalog, settings, options.hardware)
    except TpuguruError as error:
        _write_failure(error_report(error), chosen)
        raise
    if options.explain:
        return _explain(run, catalog, options.explain)
    if options.write_baseline:
        return _write_baseline(run, Path(options.write_baseline))
    excerpts = Excerpts({paste.path: paste.text for paste in run.pastes})
    if show is not None:
        chosen = tuple(output for output in chosen if output.path or options.output_formats)
        if all(output.path for output in chosen):
            sys.stdout.write(show(run, catalog))
    write_outputs(lint_report(run), excerpts, chosen, suppressed=options.show_suppressed)
    return ExitCode.CLEAN if options.exit_zero else run.exit_code


def effective_settings(options: LintOptions) -> LintSettings:
    """Return the configuration with the command line over it. UsageError."""
    settings = LintSettings() if options.no_config else settings_for(options.pastes)
    return replace(
        settings,
        select=options.select or settings.select,
        ignore=(*settings.ignore, *options.ignore),
        min_severity=severity(options.min_severity, "--min-severity")
        if options.min_severity
        else settings.min_severity,
        fail_on=fail_on(options.fail_on, "--fail-on") if options.fail_on else settings.fail_on,
        baseline=Path(options.baseline) if options.baseline else settings.baseline,
    )


def read_pastes(options: LintOptions) -> list[Paste]:
    """Read every input. UsageError for one that cannot be read."""
    from tpuguru.launch.reader import read_paste_file  # noqa: PLC0415

    pastes = []
    for path in options.pastes:
        paste = read_paste_file(path)
        named = path == "-" and options.stdin_filename
        pastes.append(replace(paste, path=options.stdin_filename) if named else paste)
    return pastes


def settings_text(settings: LintSettings) -> str:
    """Return the settings in force, one a line."""
    lines = [
        f"configuration = {settings.source or 'none found'}",
        f"select = {', '.join(settings.select) or 'every rule'}",
        f"ignore = {', '.join(settings.ignore) or 'none'}",
        f"min-severity = {settings.min_severity}",
        f"fail-on = {settings.fail_on or 'never'}",
        f"baseline = {settings.baseline or 'none'}",
        f"output-format = {', '.join(settings.output_formats) or 'text'}",
    ]
    lines += [f"ignored: {one.rule} in {one.path}: {one.reason}" for one in settings.ignores]
    return "\n".join(lines) + "\n"


def _write_failure(report: LintReport, chosen: Sequence[Output]) -> None:
    machine = [output for output in chosen if output.format in MACHINE_FORMATS]
    write_outputs(report, Excerpts({}), machine)


def _explain(run: LintRun, catalog: Catalog, name: str) -> int:
    from tpuguru.rules.explain import explain_outcome  # noqa: PLC0415

    rule = catalog.rule(name)
    for judged in run.launches:
        if len(run.launches) > 1:
            print(f"{judged.launch.entry_point} {judged.launch.variant}".rstrip())
        print(explain_outcome(rule, judged.facts))
    return ExitCode.CLEAN


def _write_baseline(run: LintRun, path: Path) -> int:
    accepted = [
        (found.judged.finding, found.fingerprint)
        for found in run.findings
        if found.judged.suppression is None
    ]
    write_whole(path, baseline_document(accepted))
    print(f"{len(accepted)} findings accepted in {path}", file=sys.stderr)
    return ExitCode.CLEAN

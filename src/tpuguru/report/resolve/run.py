"""Resolve a pasted MaxText launch, from the defaults table or by MaxText itself in a toolchain."""

from dataclasses import dataclass

from tpuguru.base.errors import UsageError
from tpuguru.base.redaction import redact_value
from tpuguru.facts.finding import Finding
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.maxtext.defaults import NEWEST
from tpuguru.frameworks.maxtext.resolve import Resolution, static_resolve, with_config
from tpuguru.frameworks.registry import require_launches
from tpuguru.launch.model import Launch, Paste
from tpuguru.report.check.progress import Progress
from tpuguru.report.contracts.common import finding_record, location_record, tool_record
from tpuguru.report.contracts.resolve import ResolvedSetting, ResolveReport


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """What to resolve with: ``toolchain`` empty means the table of ``version``."""

    slice_name: str = ""
    toolchain: str = ""
    version: str = NEWEST
    everything: bool = False


def resolve_paste(paste: Paste, options: ResolveOptions) -> ResolveReport:
    """Return the resolved settings of the paste's first launch.

    NothingToCheckError when there is none, UsageError for a framework without resolving, ToolFailureError
    when the toolchain cannot be asked.
    """
    launch = require_launches(paste)[0]
    if launch.framework != "maxtext":
        raise UsageError(
            f"settings of {launch.framework} launches cannot be resolved yet", location=launch.location
        )
    resolution = static_resolve(launch, options.version)
    findings = tuple(resolution.findings)
    if options.toolchain:
        resolution, findings = _by_toolchain(launch, resolution, options)
    return ResolveReport(
        tool=tool_record(),
        path=paste.path,
        framework=launch.framework,
        version=options.version,
        authority="toolchain" if options.toolchain else "table",
        settings=tuple(_settings(resolution, everything=options.everything)),
        findings=tuple(finding_record(finding) for finding in findings),
    )


def _by_toolchain(
    launch: Launch, table: Resolution, options: ResolveOptions
) -> tuple[Resolution, tuple[Finding, ...]]:
    from tpuguru.report.check.toolchain import resolve_job  # noqa: PLC0415 - needs the run store

    side = compiling(launch.framework)
    if side is None:
        raise UsageError(f"{launch.framework} has no toolchain")
    plan = side.plan(launch, side.target(launch, options.slice_name), options.toolchain, 600.0)
    found = resolve_job(plan.job, Progress())
    if found.rejection is not None:
        return table, (side.rejection(found.rejection, launch),)
    kept = tuple(finding for finding in table.findings if finding.name == "file-value-replaced")
    return with_config(table, found.config), kept


def _settings(resolution: Resolution, *, everything: bool) -> list[ResolvedSetting]:
    stated = set(resolution.stated)
    keys = sorted(resolution.values) if everything else list(dict.fromkeys(resolution.stated))
    return [_setting(resolution, key, stated=key in stated) for key in keys]


def _setting(resolution: Resolution, key: str, *, stated: bool) -> ResolvedSetting:
    value, origin = resolution.values[key], resolution.origins[key]
    unknown = value.reason if isinstance(value, Unknown) else ""
    return ResolvedSetting(
        key=key,
        value=redact_value(key, value) if isinstance(value, str) else None if unknown else value,
        origin=str(origin),
        stated=stated,
        location=location_record(origin.location),
        unknown=unknown,
    )

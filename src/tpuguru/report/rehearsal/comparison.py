"""What differs between two rehearsals: of figures that mean something, never of times."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tpuguru.base.redaction import redact
from tpuguru.base.units import format_bytes
from tpuguru.report.rehearsal.traffic import AxisBytes
from tpuguru.report.rehearsal.view import RehearsalView


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs, in words."""

    what: str
    before: str
    after: str


def compare(before: RehearsalView, after: RehearsalView) -> tuple[Change, ...]:
    """Return what differs: the setting first, then how it ended, memory, the step, collectives, warnings."""
    return tuple(
        Change(what, old, new)
        for what, old, new in (*_single(before, after), *_collectives(before, after), *_sets(before, after))
        if old != new
    )


def comparison_text(before: RehearsalView, after: RehearsalView) -> str:
    """Return the differences as text."""
    changes = compare(before, after)
    lines = [f"{before.rehearsal.run_id} → {after.rehearsal.run_id}"]
    lines += [f"  {change.what}: {change.before or '–'} → {change.after or '–'}" for change in changes]
    return "\n".join(lines if changes else [*lines, "  nothing differs"])


def _single(before: RehearsalView, after: RehearsalView) -> Iterator[tuple[str, str, str]]:
    for what, told in _FIGURES:
        yield what, told(before), told(after)


def _peak(view: RehearsalView) -> str:
    return (
        format_bytes(max((each.peak_bytes for each in view.summary.devices), default=0))
        if view.summary
        else ""
    )


def _step(view: RehearsalView) -> str:
    return view.main.name if view.main else ""


def _step_memory(view: RehearsalView) -> str:
    main = view.main
    if main is None:
        return ""
    return f"arguments {format_bytes(main.argument_bytes)}, temporaries {format_bytes(main.temporary_bytes)}"


def _donated(view: RehearsalView) -> str:
    return str(view.main.donated) if view.main else ""


def _flops(view: RehearsalView) -> str:
    return f"{view.main.flops:.4g}" if view.main else ""


def _code(view: RehearsalView) -> str:
    read = next((each.extract for each in view.programs if each.summary == view.main), None)
    if read is None:
        return ""
    path = read.code_path
    kernels = ", ".join(sorted(f"{each.name} × {each.executions_per_step}" for each in path.kernels))
    recomputed = f"{path.remat.recomputed_share or 0:.1%} recomputed"
    return "; ".join(filter(None, (f"attention {path.attention}", kernels, recomputed)))


def _reads(view: RehearsalView) -> str:
    return f"{view.step.reads:.3g} read, {view.step.writes:.3g} sent" if view.step else ""


def _programs_each(view: RehearsalView) -> str:
    return f"{view.step.programs:.3g}" if view.step else ""


def _late(view: RehearsalView) -> str:
    return str(len(view.summary.late)) if view.summary else ""


def _unused(view: RehearsalView) -> str:
    if view.records is None or view.summary is None:
        return ""
    used = sum(bool(each.executions or each.peak_bytes) for each in view.summary.devices)
    return f"{used} of {view.records.clients[0].all_devices}"


def _versions(view: RehearsalView) -> str:
    versions = view.rehearsal.interpreter.versions
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()) if version)


_FIGURES: tuple[tuple[str, Callable[[RehearsalView], str]], ...] = (
    ("slice", lambda view: view.slice_name),
    ("versions", _versions),
    ("ended", lambda view: view.outcome),
    ("peak of the fullest device", _peak),
    ("devices used", _unused),
    ("step", _step),
    ("memory of the step", _step_memory),
    ("arguments donated to the step", _donated),
    ("FLOPs of the step on a device", _flops),
    ("code of the step", _code),
    ("program executions in a step", _programs_each),
    ("arrays moved in a step", _reads),
    ("programs compiled late", _late),
)


def _collectives(before: RehearsalView, after: RehearsalView) -> Iterator[tuple[str, str, str]]:
    old, new = _by_key(before.traffic.each_step), _by_key(after.traffic.each_step)
    for key in dict.fromkeys((*old, *new)):
        yield f"{key} in a step", old.get(key, ""), new.get(key, "")


def _by_key(rows: tuple[AxisBytes, ...]) -> dict[str, str]:
    return {
        f"{row.kind} over {' × '.join(row.axes)} ({row.network})": (
            f"{format_bytes(row.payload)} in {row.executions:.3g}"
        )
        for row in rows
    }


def _sets(before: RehearsalView, after: RehearsalView) -> Iterator[tuple[str, str, str]]:
    """Yield what only one of them has: findings and warnings."""
    for what, told in (("finding", _findings), ("warning", _warnings)):
        old, new = told(before), told(after)
        yield from ((what, text, "") for text in old if text not in new)
        yield from ((what, "", text) for text in new if text not in old)


def _findings(view: RehearsalView) -> dict[str, None]:
    return dict.fromkeys(finding.name for finding in view.findings)


def _warnings(view: RehearsalView) -> dict[str, None]:
    return dict.fromkeys(redact(warning.text[:160]) for warning in view.output.warnings)

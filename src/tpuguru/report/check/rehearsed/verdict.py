"""The verdict of a rehearsal: fits, does not fit, failed, or never asked for a TPU."""

from tpuguru.base.redaction import redact
from tpuguru.base.units import format_bytes
from tpuguru.report.check.memory import bytes_figure
from tpuguru.report.contracts.check import VerdictRecord
from tpuguru.report.contracts.common import Figure
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.report.rehearsal.words import short
from tpuguru.slice.records import ErrorRecord

_PEAK = "rehearsal: arrays, temporaries and code of the fullest device"
_LIMIT = "rehearsal: memory of a device, as libtpu states it"
_FULL = ("Out of device memory", "RESOURCE_EXHAUSTED")


def verdict_of(view: RehearsalView) -> VerdictRecord:
    """Return the verdict."""
    if view.records is None or view.summary is None:
        return VerdictRecord("not_compiled", "the program never asked for a TPU", "run")
    full = next((error for error in view.records.errors if _says_full(error)), None)
    if view.outcome == "end":
        return _fits(view)
    if full is not None:
        return _does_not_fit(view, full)
    return VerdictRecord("failed", f"no verdict: {_why(view)}", "run")


def _says_full(error: ErrorRecord) -> bool:
    return any(words in error.message for words in _FULL)


def _figures(view: RehearsalView) -> tuple[int, int]:
    devices = view.summary.devices if view.summary else ()
    most = max(devices, key=lambda each: each.peak_bytes, default=None)
    return (most.peak_bytes, most.limit_bytes) if most else (0, 0)


def _fits(view: RehearsalView) -> VerdictRecord:
    need, limit = _figures(view)
    steps = f" over {view.main.runs} steps" if view.main and view.main.runs > 1 else ""
    sentence = f"fits: it ran{steps}, at most {format_bytes(need)} per device"
    if limit:
        free = f"headroom {format_bytes(limit - need)} ({1 - need / limit:.0%})"
        sentence += f" of {format_bytes(limit)}, {free}"
    return VerdictRecord(
        "fits",
        sentence,
        "run",
        need=Figure(need, "bytes", _PEAK),
        limit=bytes_figure(limit or None, _LIMIT),
        headroom=bytes_figure(limit - need if limit else None, "derived: limit - need"),
    )


def _does_not_fit(view: RehearsalView, error: ErrorRecord) -> VerdictRecord:
    doing = "compiling" if error.kind == "compile" else "running"
    place = f" ({short(error.python)})" if error.python else ""
    message = redact(" ".join(error.message.split()))[:500]
    return VerdictRecord(
        "does_not_fit",
        f"does not fit: device memory ran out while {doing}{place}",
        "run",
        message=message,
        limit=bytes_figure(_figures(view)[1] or None, _LIMIT),
    )


def _why(view: RehearsalView) -> str:
    match view.outcome:
        case "deadlock":
            return "ranks wait for each other without end (deadlock)"
        case "stopped":
            return f"it was stopped: {view.rehearsal.reason}"
        case _:
            trace = next(iter(view.output.tracebacks), None)
            if trace is None:
                return "the program failed"
            return f"the program failed with {redact(trace.exception)[:300]} ({short(trace.user_line)})"

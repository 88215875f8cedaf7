"""The verdict, from what the compiler said: rejected, does not fit, fits, or not compiled and why."""

from tpuguru.aot.record import Failure, FailureKind, RunRecord
from tpuguru.artifacts.model import CompilerError, Extract
from tpuguru.base.redaction import redact
from tpuguru.base.units import MiB, format_bytes
from tpuguru.facts.finding import Finding
from tpuguru.report.check.memory import buffer_record, bytes_figure
from tpuguru.report.contracts.check import BufferRecord, Stage, VerdictRecord
from tpuguru.report.contracts.common import Figure

_STATISTICS = "compiler: memory statistics of the compiled step (argument + temporary + output - alias)"
_MESSAGE = "compiler: its error message"
_DOMINATING = 5
_STAGES: dict[FailureKind, Stage] = {
    FailureKind.CONFIG_REJECTED: "resolve",
    FailureKind.LOWER_FAILED: "lower",
    FailureKind.FLAG_REJECTED: "compile",
}


def refused(findings: tuple[Finding, ...]) -> VerdictRecord:
    """Return the verdict for a launch that the framework will not start."""
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    sentence = redact(f"rejected: {first.title}{more}")
    return VerdictRecord("rejected", sentence, "resolve", message=redact(first.message))


def stopped_by_lint(findings: tuple[Finding, ...]) -> VerdictRecord:
    """Return the verdict for a launch with critical findings, which is not compiled unless forced."""
    names = ", ".join(dict.fromkeys(finding.name for finding in findings))
    count = f"{len(findings)} critical finding{'s' if len(findings) > 1 else ''}"
    return VerdictRecord(
        "not_compiled", f"not compiled: {count} ({names}); --force compiles it anyway", "lint"
    )


def verdict_of(record: RunRecord, extract: Extract | None, limit_bytes: int | None) -> VerdictRecord:
    """Return the verdict of a finished run. ``limit_bytes`` is the chip's HBM per device."""
    if record.failure is None:
        return _fits(record, extract, limit_bytes)
    error = extract.outcome.error if extract else None
    if record.failure.kind is FailureKind.HBM_OOM:
        return _hbm(record.failure, error, extract)
    if record.failure.kind is FailureKind.VMEM_OOM:
        return _vmem(record.failure, error)
    return _stopped(record.failure)


def _fits(record: RunRecord, extract: Extract | None, limit_bytes: int | None) -> VerdictRecord:
    if record.memory is None:
        return VerdictRecord("not_compiled", "lowered, not compiled", "lower")
    need = record.memory.fit_bytes
    limit = (extract.memory.limit_bytes if extract else None) or limit_bytes
    headroom = None if limit is None else limit - need
    sentence = f"fits: {format_bytes(need)} per device"
    if limit is not None and headroom is not None:
        sentence += f" of {format_bytes(limit)}, headroom {format_bytes(headroom)} ({headroom / limit:.0%})"
    return VerdictRecord(
        "fits",
        sentence,
        "compile",
        need=Figure(need, "bytes", _STATISTICS),
        limit=bytes_figure(limit, _limit_origin(extract)),
        headroom=bytes_figure(headroom, "derived: limit - need"),
        dominated_by=_dominating(extract),
    )


def _limit_origin(extract: Extract | None) -> str:
    named = extract.memory.limit_from if extract and extract.memory.limit_bytes is not None else ""
    if named in ("", "given"):  # given by us, from the chip's data
        return "hardware data: HBM per device that the compiler states"
    return f"compiler: {named}"


def _hbm(failure: Failure, error: CompilerError | None, extract: Extract | None) -> VerdictRecord:
    need = error.required_bytes if error else None
    limit = error.limit_bytes if error else None
    over = error.exceeded_bytes if error else None
    if over is None and need is not None and limit is not None:
        over = need - limit
    dominating = _dominating(extract)
    sentence = "does not fit in HBM"
    if need is not None and limit is not None and over is not None:
        sentence = (
            f"does not fit: the compiler needs {format_bytes(need)} of HBM for what it lays out, "
            f"a device has {format_bytes(limit)}: {format_bytes(over)} too much"
        )
    if dominating:
        sentence += f"; the largest buffer is {dominating[0].shape} ({format_bytes(dominating[0].bytes)})"
    return VerdictRecord(
        "does_not_fit",
        sentence,
        "compile",
        code=failure.code,
        message=_one_line(failure.message),
        need=bytes_figure(need, _MESSAGE),
        limit=bytes_figure(limit, _MESSAGE),
        exceeded_by=bytes_figure(over, _MESSAGE),
        dominated_by=dominating,
    )


def _vmem(failure: Failure, error: CompilerError | None) -> VerdictRecord:
    need = error.required_bytes if error else None
    limit = error.limit_bytes if error else None
    kernel = f" in the kernel {error.kernel}" if error and error.kernel else ""
    sentence = f"does not fit in VMEM{kernel}"
    if need is not None and limit is not None:
        sentence += f": {need / MiB:.2f} MiB of scoped VMEM needed, the limit is {limit / MiB:.2f} MiB"
    return VerdictRecord(
        "does_not_fit",
        sentence,
        "compile",
        code=failure.code,
        message=_one_line(failure.message),
        need=bytes_figure(need, _MESSAGE),
        limit=bytes_figure(limit, _MESSAGE),
        exceeded_by=bytes_figure(need - limit if need and limit else None, _MESSAGE),
    )


def _stopped(failure: Failure) -> VerdictRecord:
    said = _one_line(failure.message)
    stage = _STAGES.get(failure.kind)
    if stage is None:
        return VerdictRecord("failed", f"no verdict ({failure.kind}): {said}", "compile", failure.code, said)
    who = "the TPU compiler" if failure.kind is FailureKind.FLAG_REJECTED else "the framework"
    return VerdictRecord("rejected", f"rejected by {who}: {said}", stage, failure.code, said)


def _dominating(extract: Extract | None) -> tuple[BufferRecord, ...]:
    if extract is None:
        return ()
    return tuple(buffer_record(buffer) for buffer in extract.memory.largest[:_DOMINATING])


def _one_line(text: str, longest: int = 500) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 2] + " …"

"""Name what went wrong from the phase and from what the compiler said."""

import re
import signal
from collections.abc import Mapping

from tpuguru.aot.record import Failure, FailureKind
from tpuguru.base.redaction import redact

_FLAG_REJECTED = "|".join(  # noqa: FLY002 - one message a line
    (
        r"Unknown (?:command line )?flags?\b",
        r"[Uu]nknown (?:compiler )?option",
        r"No such compile option",
        r"Illegal value '.*' specified for flag",
        r"While setting option",
        r"FAILED_PRECONDITION: Continuation fusion",
        r"not supported/recommended on platforms",
        r"Duplicate flag detected",
        r"Invalid flag format",
    )
)
# What the TPU compiler prints, tried in order; read from its messages on libtpu 0.0.52 and older.
_COMPILER_SAYS = (
    (r"\bE1000\b|Ran out of memory in memory space hbm|Ran out of memory on HBM", FailureKind.HBM_OOM),
    (r"\bE1001\b|Ran out of memory in memory space vmem|scoped vmem limit", FailureKind.VMEM_OOM),
    (_FLAG_REJECTED, FailureKind.FLAG_REJECTED),
    (r"No space left on device", FailureKind.DISK_FULL),
    (r"MemoryError|std::bad_alloc|Cannot allocate memory", FailureKind.OUT_OF_MEMORY),
)
_BY_PHASE = {
    "import": FailureKind.TOOLCHAIN_BROKEN,
    "load": FailureKind.TOOLCHAIN_BROKEN,
    "resolve": FailureKind.CONFIG_REJECTED,
    "mesh": FailureKind.CONFIG_REJECTED,
    "compile": FailureKind.COMPILE_FAILED,
}


def failure_of(data: Mapping[str, object]) -> Failure:
    """Return the failure a worker reported: ``phase``, ``type``, ``message``, ``raised_in``."""
    phase, message = str(data.get("phase", "")), redact(str(data.get("message", "")))
    kind = _BY_PHASE.get(phase, FailureKind.LOWER_FAILED)
    # A rejected configuration may quote any text; only later phases speak for compiler and system.
    if phase not in ("import", "load", "resolve"):
        kind = _said(message) or kind
    return Failure(
        kind, message, phase, code_in(message), str(data.get("type", "")), str(data.get("raised_in", ""))
    )


def death_of(return_code: int, phase: str, log_tail: str) -> Failure:
    """Return the failure of a worker that ended without an answer."""
    last = _last_words(log_tail)
    said = _said(log_tail)
    if said is not None:
        return Failure(said, last, phase, code_in(log_tail))
    if return_code == -signal.SIGKILL:
        return Failure(
            FailureKind.WORKER_LOST, "the worker was killed (SIGKILL), perhaps by the system", phase
        )
    if phase in ("import", "load"):
        return Failure(FailureKind.TOOLCHAIN_BROKEN, f"the toolchain does not start: {last}", phase)
    if return_code in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE):
        name = signal.Signals(-return_code).name
        return Failure(FailureKind.COMPILER_ABORT, f"the compiler ended with {name}: {last}", phase)
    return Failure(FailureKind.WORKER_LOST, f"the worker ended with status {return_code}: {last}", phase)


def code_in(message: str) -> str:
    """Return the compiler's error code (``E1000``), or an empty text."""
    found = re.search(r"\bE\d{4}\b(?=:)", message)
    return found[0] if found else ""


def _said(text: str) -> FailureKind | None:
    return next((kind for pattern, kind in _COMPILER_SAYS if re.search(pattern, text)), None)


def _last_words(log: str) -> str:
    """Return the line of a log that says why a process ended: a failed check, an error, else the last."""
    lines = [line.strip() for line in redact(log).splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"^F\d{4} |ERROR: |Check failed|Fatal|Error: ", line)]
    return (telling or lines or ["it left no message"])[-1][:2000]

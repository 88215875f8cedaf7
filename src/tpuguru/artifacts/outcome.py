"""How the compile ended, and the compiler's own words when it failed."""

import re
from pathlib import Path

from tpuguru.artifacts.model import CompilerError, Outcome

_TAIL = 4 * 2**20  # the error is at the end of a log
_UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = r"(\d+(?:\.\d+)?)([KMGTB]?)(?:i?B)?"
_CODED = re.compile(r"(?:(?P<status>[A-Z][A-Z_]{4,}): )?(?P<code>[EC]\d{4}): (?P<name>\w+): ?(?P<message>.*)")
# Without a code only an exception's own line counts: libraries log harmless ones while they start.
_ABSL = re.compile(
    r"(?:^|Error: )(?P<status>RESOURCE_EXHAUSTED|INVALID_ARGUMENT|FAILED_PRECONDITION|UNIMPLEMENTED|INTERNAL"
    r"|UNAVAILABLE|ABORTED|DEADLINE_EXCEEDED|NOT_FOUND|OUT_OF_RANGE): (?P<message>.*)",
    re.MULTILINE,
)
_REQUIRED = re.compile(
    rf"(?:\({_SIZE}\) exceeds available|Used {_SIZE} of|allocation with size {_SIZE} and limit)"
)
_LIMIT = re.compile(rf"(?:exceeds available \w+ \({_SIZE}\)|Used \S+ of {_SIZE}|and limit {_SIZE})")
_EXCEEDED = re.compile(rf"(?:exceeded scoped vmem limit by|[Ee]xceeded \w+ capacity by) {_SIZE}")
_SPACE = re.compile(r"memory on (\w+)|memory space (\w+)|of [\d.]+\w? (\w+)\.")
_KERNEL = re.compile(r"allocating on stack for %?([\w.\-]+)")
_QUOTED = re.compile(r" = [(a-z].*\}(?=\. [A-Z])")
_SPACES = {"E1000": "hbm", "E1001": "vmem", "E3000": "sparsecore"}


def read_outcome(log: Path | None, message: str = "", *, oom: bool, finished: bool) -> Outcome:
    """Tell how the compile ended.

    ``oom``: the dump holds the intermediate module that an out-of-memory compile leaves; ``finished``: it
    holds generated code, or memory statistics of an executable are known.
    """
    error = find_error(message) or (find_error(_tail(log)) if log else None)
    if error and (error.status == "RESOURCE_EXHAUSTED" or error.code in _SPACES):
        return Outcome("out-of-memory", error)
    if oom:
        return Outcome("out-of-memory", error)
    if finished:
        return Outcome("compiled")
    return Outcome("failed", error) if error else Outcome("unknown")


def find_error(text: str) -> CompilerError | None:
    """Return the last error of the compiler in a log, coded ones first; None when there is none."""
    coded = list(_CODED.finditer(text))
    found = coded or list(_ABSL.finditer(text))
    if not found:
        return None
    last = found[-1]
    groups = last.groupdict()
    message = _whole_message(text, last)
    code = groups.get("code") or ""
    return CompilerError(
        code=code,
        name=groups.get("name") or "",
        status=groups.get("status") or "",
        space=_space(code, message),
        required_bytes=_size(_REQUIRED, message),
        limit_bytes=_size(_LIMIT, message),
        exceeded_bytes=_size(_EXCEEDED, message) or _difference(message),
        kernel=kernel[1].rstrip(".") if (kernel := _KERNEL.search(message)) else "",
        message=message,
    )


def _whole_message(text: str, found: re.Match[str]) -> str:
    """Return the message up to a blank line or «See https…», at most a few lines."""
    rest = text[found.start("message") : found.start("message") + 4000]
    lines: list[str] = []
    for line in rest.splitlines()[:8]:
        if not line.strip() and lines:
            break
        if line.startswith(("See https", "Traceback", "  File ")):
            break
        lines.append(line.strip())
    # An instruction quoted whole buries the sentence; its name is enough.
    return _QUOTED.sub("", " ".join(filter(None, lines)))[:2000]


def _space(code: str, message: str) -> str:
    if code in _SPACES:
        return _SPACES[code]
    found = _SPACE.search(message)
    return next((group.lower() for group in found.groups() if group), "") if found else ""


def _size(pattern: re.Pattern[str], message: str) -> int | None:
    found = pattern.search(message)
    if found is None:
        return None
    groups = [group for group in found.groups() if group is not None]
    return round(float(groups[0]) * _UNITS[groups[1] if len(groups) > 1 else ""])


def _difference(message: str) -> int | None:
    required, limit = _size(_REQUIRED, message), _size(_LIMIT, message)
    return required - limit if required is not None and limit is not None and required > limit else None


def memory_stats_in(log: Path | None) -> dict[str, int]:
    """Return the CompiledMemoryStats that a framework printed into its log; empty when it printed none."""
    found = list(re.finditer(r"CompiledMemoryStats\(([^)]*)\)", _tail(log))) if log else []
    return {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", found[-1][1])} if found else {}


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _TAIL))
        return file.read().decode("utf-8", "replace")

"""Read a profile: XProf's JSON tables as they are, an .xplane.pb through the xprof toolchain."""

import subprocess
import sys
from pathlib import Path

from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.facts.factset import Facts
from tpuguru.telemetry import workers
from tpuguru.telemetry.profile.facts import profile_facts
from tpuguru.telemetry.profile.tables import looks_like_tables, read_tables

TOOLCHAIN = "xprof==2.24.2"
_SECONDS = 600


def is_profile(path: str) -> bool:
    """Tell whether the file is a profile rather than a text."""
    if path == "-":
        return False
    if path.endswith(".xplane.pb"):
        return True
    try:
        with Path(path).open("rb") as file:
            return looks_like_tables(file.read(4096))
    except OSError:
        return False


def read_profile(path: str) -> Facts:
    """Return the facts of a profile.

    UsageError when it cannot be read, ToolFailureError when the toolchain cannot be made or breaks.
    """
    text = _convert(path) if path.endswith(".xplane.pb") else _text(path)
    return profile_facts(read_tables(text, path), path)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _convert(path: str) -> str:
    from tpuguru.aot.toolchains import find_toolchain  # noqa: PLC0415

    if not Path(path).is_file():
        raise UsageError(f"cannot read {path}: no such file")
    toolchain = find_toolchain(TOOLCHAIN)
    if not toolchain.installed():
        toolchain.install(lambda line: print(line, file=sys.stderr))
    worker = Path(workers.__path__[0]) / "xplane_tables.py"
    print(f"reading {path} with {toolchain.key}", file=sys.stderr)
    try:
        done = subprocess.run(
            [str(toolchain.python), str(worker), str(Path(path).resolve())],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolFailureError(f"reading {path} took more than {_SECONDS} s") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UsageError(f"{path} cannot be read as a profile: {last[:200]}")
    return done.stdout

"""Locks: read one, refresh a shipped one, resolve a variant's."""

import hashlib
import os
import re
import tempfile
from pathlib import Path

from tpuguru.aot.toolchains.data import ToolchainData
from tpuguru.aot.toolchains.specification import Specification
from tpuguru.aot.toolchains.uv import run_uv
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.locations import cache_directory


def pinned_versions(lock: Path) -> dict[str, str]:
    """Return package → version as the lock pins them."""
    text = lock.read_text(encoding="utf-8")
    return {match[1].lower(): match[2] for match in re.finditer(r"(?m)^([A-Za-z0-9._-]+)==([^ \\;]+)", text)}


def variant_lock(specification: Specification, data: ToolchainData) -> Path:
    """Return the lock with the specification's pins in force, resolving it once and keeping it.

    The shipped lock is the starting point, so that only what the pins force to change changes.
    """
    base = hashlib.sha256(data.lock.read_bytes() + specification.key.encode()).hexdigest()[:12]
    kept = cache_directory() / "toolchains" / "locks" / f"{specification.name}-{base}.txt"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        _resolve_variant(specification, data, kept)
    return kept


def _resolve_variant(specification: Specification, data: ToolchainData, kept: Path) -> None:
    try:
        resolve_lock(data, kept, pins=specification.pins, purpose=f"resolving {specification.key}")
    except ToolFailureError as error:
        if "No solution found" not in error.message:
            raise
        raise UsageError(
            f"no set of packages satisfies {specification.key}: {error.message}",
            help="give versions that exist and that go together",
        ) from error


def resolve_lock(
    data: ToolchainData, target: Path, *, pins: tuple[tuple[str, str], ...], purpose: str
) -> None:
    """Write a hash-pinned lock for ``data.root`` to ``target`` in one step.

    The file holds no download address.
    """
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        work = Path(folder)
        (work / "root.in").write_text(data.root + "\n", encoding="utf-8")
        (work / "pins.txt").write_text(
            "".join(f"{name}=={version}\n" for name, version in pins)
            + "".join(f'{name}; sys_platform == "none"\n' for name in data.without),
            encoding="utf-8",
        )
        new = work / "lock.txt"
        if pins and data.lock.is_file():
            new.write_bytes(data.lock.read_bytes())  # uv keeps what an existing output pins where it can
        run_uv(
            [
                *("pip", "compile", "--quiet", str(work / "root.in"), "--output-file", str(new)),
                *("--override", str(work / "pins.txt")),
                *("--python-version", data.python, "--python-platform", data.platform),
                *("--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate"),
                *("--custom-compile-command", f"tpuguru toolchain lock {data.key}"),
            ],
            purpose=purpose,
        )
        new.replace(target)


def refresh(data: ToolchainData) -> None:
    """Resolve a shipped toolchain's lock again (for those who maintain it)."""
    if not os.access(data.lock.parent, os.W_OK):
        raise PermissionError(f"{data.lock.parent} is read-only")
    resolve_lock(data, data.lock, pins=(), purpose=f"locking {data.key}")

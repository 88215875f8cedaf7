"""A toolchain as a uv environment built from a hash-pinned lock."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from tpuguru.aot.toolchains import building, health, locking
from tpuguru.aot.toolchains.data import ToolchainData
from tpuguru.aot.toolchains.interface import Progress
from tpuguru.aot.toolchains.specification import Specification
from tpuguru.base.locations import cache_directory


class UvToolchain:
    """One environment under the user's cache folder, named after the toolchain and its lock."""

    def __init__(self, specification: Specification, data: ToolchainData) -> None:
        """Describe it; nothing is resolved, installed or run yet."""
        self.specification = specification
        self.data = data

    @property
    def key(self) -> str:
        """The canonical name."""
        return self.specification.key

    @property
    def worker(self) -> str:
        """The worker program."""
        return self.data.worker

    @cached_property
    def lock(self) -> Path:
        """The lock: the shipped one, or a variant's, which is resolved on first use and then kept."""
        if not self.specification.pins:
            return self.data.lock
        return locking.variant_lock(self.specification, self.data)

    @cached_property
    def lock_sha256(self) -> str:
        """The lock's SHA-256."""
        return hashlib.sha256(self.lock.read_bytes()).hexdigest()

    @property
    def folder(self) -> Path:
        """Where the environment is, or will be."""
        return cache_directory() / "toolchains" / f"{self.specification.name}-{self.lock_sha256[:12]}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def versions(self) -> Mapping[str, str]:
        """Return the versions that the lock pins for the packages that matter."""
        pinned = locking.pinned_versions(self.lock)
        return {name: pinned[name] for name in self.data.stack if name in pinned}

    def installed(self) -> bool:
        """Tell whether the environment was completed."""
        return building.is_complete(self.folder)

    def install(self, progress: Progress) -> None:
        """Make the environment unless it is there."""
        if self.data.notice:
            progress(self.data.notice)
        building.build(self.folder, self.lock, self.data, progress)

    def health_check(self) -> str | None:
        """Return the first thing found broken."""
        return health.check(self.folder, self.python, self.data)

    def remove(self) -> None:
        """Delete the environment."""
        building.remove(self.folder)

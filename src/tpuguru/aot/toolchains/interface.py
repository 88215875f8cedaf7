"""What a toolchain provides, whatever it is made with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

type Progress = Callable[[str], None]


class Toolchain(Protocol):
    """A framework with its compiler, in an environment of its own."""

    @property
    def key(self) -> str:
        """The name people use: ``maxtext==0.2.5`` or ``maxtext==0.2.5,jax==…``."""

    @property
    def worker(self) -> str:
        """The program under aot/workers that speaks for the framework."""

    @property
    def python(self) -> Path:
        """Its interpreter; exists when it is installed."""

    @property
    def lock_sha256(self) -> str:
        """The lock's SHA-256: part of every run's identity.

        ToolFailureError when a variant cannot be resolved.
        """

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the packages that decide what a compile says, from the lock."""

    def installed(self) -> bool:
        """Tell whether a whole environment is there; says nothing about files lost since."""

    def install(self, progress: Progress) -> None:
        """Make the environment unless it is there. ToolFailureError; never leaves half of one."""

    def health_check(self) -> str | None:
        """Return what is broken, in one sentence, or None."""

    def remove(self) -> None:
        """Delete the environment."""

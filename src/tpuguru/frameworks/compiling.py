"""What a framework provides beyond :class:`Framework` when its launches can be compiled ahead of time.

A framework's folder has a module ``compiling`` with an object ``COMPILING``; one without is only linted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from tpuguru import frameworks
from tpuguru.aot.job import AotJob
from tpuguru.aot.record import Failure
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The job, and in words what was put in, left out or changed to make it one."""

    job: AotJob
    filled_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One change that may make a launch fit: settings to set, compiler flags to set or to leave out."""

    text: str
    overrides: tuple[tuple[str, str], ...] = ()
    flags: tuple[str, ...] = ()
    without_flags: tuple[str, ...] = ()

    def applied(self, job: AotJob) -> AotJob:
        """Return the job with the change made."""
        changed = {key for key, _ in self.overrides}
        kept = [(key, text) for key, text in job.overrides if key not in changed]
        gone = {*self.without_flags, *(flag.partition("=")[0] for flag in self.flags)}
        arguments = [word for word in job.flags.libtpu_init_args if word.partition("=")[0] not in gone]
        flags = replace(job.flags, libtpu_init_args=(*arguments, *self.flags))
        return replace(job, overrides=(*kept, *self.overrides), flags=flags)


class Compiling(Protocol):
    """A framework's side of ``tpuguru check``."""

    toolchain: str  # the specification used when the user names none

    def refusals(self, launch: Launch, version: str) -> tuple[Finding, ...]:
        """Return what the framework would refuse, as far as tables tell without a toolchain."""

    def target(self, launch: Launch, slice_name: str) -> Target:
        """Return the slice; UsageError that asks for it when nothing names one."""

    def facts(self, launch: Launch, target: Target, config: dict[str, object] | None) -> Facts:
        """Return SAID facts on a slice; ``config`` is what the toolchain resolved, when it was asked."""

    def plan(self, launch: Launch, target: Target, toolchain: str, seconds: float) -> JobPlan:
        """Return the job that compiles the launch's step."""

    def rejection(self, failure: Failure, launch: Launch) -> Finding:
        """Return the finding for what the framework or the compiler said when it refused."""

    def changes(self, failure: Failure, facts: Facts) -> Sequence[Change]:
        """Return single changes worth trying, the cheapest for the user first."""


def compiling(name: str) -> Compiling | None:
    """Return a framework's compiling side, or None when it has none."""
    package = f"{frameworks.__name__}.{name}"
    module = f"{package}.compiling"
    if find_spec(package) is None or find_spec(module) is None:
        return None
    return cast("Compiling", import_module(module).COMPILING)

"""From a command of a paste to the request that rehearses it: the slice, the interpreter, the environment."""

import os
from dataclasses import replace
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.maxtext.target import require_target
from tpuguru.frameworks.target import Target
from tpuguru.report.check.options import CheckOptions
from tpuguru.report.check.rehearsed.command import Rehearsable
from tpuguru.slice.interpreter import inspect_interpreter, interpreter_of
from tpuguru.slice.plan import HOOKS, Processes, uses_torch
from tpuguru.slice.rehearse import RehearsalRequest


def target_of(found: Rehearsable, slice_name: str) -> Target:
    """Return the slice of the option, or of what the launch says; UsageError when no TPU slice is named."""
    target = require_target(found.launch, slice_name)
    if target.slice.chip.kind != "tpu":
        raise UsageError(
            f"{target.slice.text} is not a TPU slice; only TPUs can be virtual",
            help="name one with --slice, such as v6e:2x2",
        )
    return target


def request_of(found: Rehearsable, target: Target, options: CheckOptions, folder: Path) -> RehearsalRequest:
    """Return the request; what is changed in the command is noted in ``found``. UsageError without libtpu."""
    words = _with_libtpu(found, options)
    interpreter = inspect_interpreter(interpreter_of(list(words)))
    if uses_torch(words, interpreter):
        found.environment = _with_hooks(found.environment)
        if found.launch.framework == "jax":
            found.launch = replace(found.launch, framework="torch_tpu")
    maxtext = found.launch.framework == "maxtext"
    if options.steps:
        found.notes.append(f"ended after {options.steps} steps (--steps)")
    if maxtext:
        found.notes.append("values that are not known read as 0: MaxText ends at the first NaN")
    return RehearsalRequest(
        command=_with_environment(words, found.environment),
        slice=target.slice,
        folder=folder,
        processes=Processes(options.processes),
        steps=options.steps,
        network=options.network,
        seconds=options.seconds,
        unknown_zero=maxtext,
    )


def _with_libtpu(found: Rehearsable, options: CheckOptions) -> tuple[str, ...]:
    """Return the command, run by a framework's toolchain when the interpreter it names has no libtpu."""
    side = compiling(found.launch.framework)
    try:
        inspect_interpreter(interpreter_of(list(found.words)))
    except UsageError:
        if side is None:
            raise
        return _in_toolchain(found, options.toolchain or side.toolchain)
    return found.words


def _in_toolchain(found: Rehearsable, specification: str) -> tuple[str, ...]:
    from tpuguru.aot.toolchains import find_toolchain  # noqa: PLC0415 - seldom needed

    toolchain = find_toolchain(specification)
    if not toolchain.installed():
        raise UsageError(
            f"{found.words[0]} has no libtpu here, and the toolchain {specification} is not installed",
            help=f"tpuguru toolchain install {specification}",
        )
    found.notes.append(f"{found.words[0]} replaced by the Python of the toolchain {specification}")
    return (str(toolchain.python), *found.words[1:])


def _with_environment(words: tuple[str, ...], environment: dict[str, str]) -> tuple[str, ...]:
    """Put the variables in front, so that the user sees them in the command that is agreed to."""
    if not environment:
        return words
    return ("env", *(f"{name}={value}" for name, value in environment.items()), *words)


def _with_hooks(environment: dict[str, str]) -> dict[str, str]:
    """Add to a PYTHONPATH of the paste what TorchTPU needs on a virtual slice, which it would replace."""
    if "PYTHONPATH" not in environment:
        return environment
    return environment | {"PYTHONPATH": os.pathsep.join((environment["PYTHONPATH"], str(HOOKS)))}

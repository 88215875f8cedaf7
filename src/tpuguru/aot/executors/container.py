"""Run a worker in a container, by the command line of docker or podman."""

import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tpuguru.aot.executors.interface import WORKERS, WorkerPlan
from tpuguru.aot.executors.local import launch, stop_group
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.locations import config_directory

_ENGINES = ("docker", "podman")
_EXAMPLE = '[container]\nimage = "registry/maxtext:0.2.5"\nengine = "podman"\npython = "/usr/bin/python3"'


@dataclass(frozen=True, slots=True)
class ContainerConfiguration:
    """The ``[container]`` table of ``executors.toml``. ``mounts`` are ``source:target[:options]``."""

    image: str
    engine: str = ""
    python: str = "python3"
    mounts: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def container_configuration(path: Path | None = None) -> ContainerConfiguration:
    """Read the configuration; UsageError when it is missing or wrong."""
    import msgspec  # noqa: PLC0415

    path = path or config_directory() / "executors.toml"
    try:
        table = msgspec.toml.decode(path.read_bytes())
        configuration = msgspec.convert(table["container"], ContainerConfiguration)
    except FileNotFoundError as error:
        raise UsageError(f"the container executor needs {path}", help=f"for example:\n{_EXAMPLE}") from error
    except (OSError, ValueError, TypeError, KeyError, msgspec.MsgspecError) as error:
        raise UsageError(f"{path} is not a container configuration: {error}", help=_EXAMPLE) from error
    if not configuration.image:
        raise UsageError(f"{path} names no image", help=_EXAMPLE)
    return configuration


class ContainerExecutor:
    """Runs the worker in an image that holds the framework; the image's Python is the toolchain."""

    name = "container"

    def __init__(self, configuration: ContainerConfiguration) -> None:
        """Remember the configuration; the engine is looked for when a worker starts."""
        self.configuration = configuration

    def engine(self) -> str:
        """Return the engine's command: the configured one, else docker, else podman.

        ToolFailureError when missing.
        """
        wanted = (self.configuration.engine,) if self.configuration.engine else _ENGINES
        found = next((path for name in wanted if (path := shutil.which(name))), None)
        if found is None:
            raise ToolFailureError(f"no container engine: {' or '.join(wanted)} is not on PATH")
        return found

    def command(self, plan: WorkerPlan) -> list[str]:
        """Return the words that run the worker: no network, only the run's folder writable."""
        folder = str(plan.folder)
        mounts = (f"{folder}:{folder}:rw", f"{WORKERS}:{WORKERS}:ro", *self.configuration.mounts)
        return [
            *("run", "--rm", "--interactive", "--init", "--network=none", f"--name={container_name(plan)}"),
            *(word for mount in mounts for word in ("--volume", mount)),
            *(f"--env={key}={value}" for key, value in sorted(self._environment(plan).items())),
            f"--workdir={plan.work}",
            *self.configuration.arguments,
            self.configuration.image,
            *(self.configuration.python, "-P", "-s", str(WORKERS / "run.py")),
            *(plan.worker, str(plan.stdout_log)),
        ]

    def start(self, plan: WorkerPlan) -> "subprocess.Popen[str]":
        """Start the container; its stdin and stdout are the worker's."""
        return launch([self.engine(), *self.command(plan)], plan, environment=None)

    def stop(self, process: "subprocess.Popen[str]", plan: WorkerPlan) -> None:
        """Kill the container by its name, then the client."""
        with suppress(OSError, subprocess.SubprocessError, ToolFailureError):
            subprocess.run(
                [self.engine(), "kill", container_name(plan)], capture_output=True, timeout=30, check=False
            )
        stop_group(process)

    def resident_bytes(self, process: "subprocess.Popen[str]") -> int:  # noqa: ARG002
        """Return 0: the container's memory belongs to the engine; give it a limit with ``arguments``."""
        return 0

    def _environment(self, plan: WorkerPlan) -> Mapping[str, str]:
        # The image's own PATH finds its Python.
        return {key: value for key, value in plan.environment.items() if key != "PATH"}


def container_name(plan: WorkerPlan) -> str:
    """Return the container's name: the attempt's folder is unique."""
    return f"tpuguru-{plan.folder.name}"

"""Where a worker runs: a local process (default), or a container."""

from tpuguru.aot.executors.container import ContainerExecutor, container_configuration
from tpuguru.aot.executors.interface import Executor, WorkerPlan
from tpuguru.aot.executors.local import LocalExecutor
from tpuguru.base.errors import UsageError

__all__ = ["Executor", "WorkerPlan", "executor_named"]


def executor_named(name: str) -> Executor:
    """Return the executor ``local`` or ``container``.

    UsageError for another name or a missing configuration.
    """
    if name == "local":
        return LocalExecutor()
    if name == "container":
        return ContainerExecutor(container_configuration())
    raise UsageError(f"no executor {name!r}", help="executors: local, container")

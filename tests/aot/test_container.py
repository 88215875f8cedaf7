"""The container executor: the command it builds, its configuration, and a real engine where there is one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tpuguru.aot.executors import executor_named
from tpuguru.aot.executors.container import ContainerConfiguration, ContainerExecutor, container_configuration
from tpuguru.aot.executors.interface import WORKERS, WorkerPlan
from tpuguru.base.errors import ToolFailureError, UsageError

PLAN = WorkerPlan(
    Path("/py"), "maxtext_train", Path("/runs/1-2-abc"), {"PATH": "/bin", "LIBTPU_INIT_ARGS": "--a=1 --b=2"}
)


def test_the_command_mounts_the_run_and_nothing_else() -> None:
    """No network, the run's folder writable, the workers read-only, the variables of the plan, then the worker."""
    configuration = ContainerConfiguration(
        image="registry/maxtext:1",
        python="/opt/python",
        mounts=("/data:/data:ro",),
        arguments=("--memory=8g",),
    )
    assert ContainerExecutor(configuration).command(PLAN) == [
        *("run", "--rm", "--interactive", "--init", "--network=none", "--name=tpuguru-1-2-abc"),
        *("--volume", "/runs/1-2-abc:/runs/1-2-abc:rw"),
        *("--volume", f"{WORKERS}:{WORKERS}:ro"),
        *("--volume", "/data:/data:ro"),
        "--env=LIBTPU_INIT_ARGS=--a=1 --b=2",
        "--workdir=/runs/1-2-abc/work",
        "--memory=8g",
        "registry/maxtext:1",
        *("/opt/python", "-P", "-s", f"{WORKERS}/run.py"),
        *("maxtext_train", "/runs/1-2-abc/logs/worker.out"),
    ]


def test_the_configuration_is_read(tmp_path: Path) -> None:
    """Image, engine, mounts and further arguments come from one table."""
    path = tmp_path / "executors.toml"
    path.write_text('[container]\nimage = "x"\nengine = "podman"\nmounts = ["/a:/b"]\n')
    assert container_configuration(path) == ContainerConfiguration("x", "podman", mounts=("/a:/b",))


@pytest.mark.parametrize(
    "text", ["", "[container]\n", "[container]\nimage = 3\n", "[container", '[container]\nimage = ""\n']
)
def test_a_wrong_configuration_is_one_sentence_with_an_example(tmp_path: Path, text: str) -> None:
    """What is missing or of the wrong type is said, with an example that works."""
    path = tmp_path / "executors.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        container_configuration(path)
    assert "[container]" in str(caught.value.help)


def test_a_missing_configuration_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The executor cannot guess an image."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"executors\.toml"):
        executor_named("container")


def test_a_missing_engine_is_a_tool_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without docker and podman the error names both."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolFailureError, match="docker or podman"):
        ContainerExecutor(ContainerConfiguration("x")).engine()


def test_an_unknown_executor_is_a_usage_error() -> None:
    """The error lists those that there are."""
    with pytest.raises(UsageError, match="no executor"):
        executor_named("ray")


def test_a_stand_in_engine_runs_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The executor's pipes reach the program that the engine starts; stopping kills the container by its name."""
    said = tmp_path / "said"
    engine = tmp_path / "docker"
    engine.write_text(f'#!/bin/sh\necho "$*" >> {said}\ntest "$1" = kill || exec cat\n')
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin")
    executor = ContainerExecutor(ContainerConfiguration("image"))
    plan = WorkerPlan(Path("/py"), "w", tmp_path / "run-1", {})
    process = executor.start(plan)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("hello\n")
    process.stdin.flush()
    assert process.stdout.readline() == "hello\n"
    executor.stop(process, plan)
    assert process.returncode is not None
    calls = said.read_text().splitlines()
    assert calls[0].startswith("run --rm --interactive")
    assert calls[-1] == "kill tpuguru-run-1"


def _succeeds(words: list[str]) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def engine_answers() -> bool:
    """Tell whether a container engine is here and its daemon, if it needs one, is running."""
    found = (shutil.which(name) for name in ("docker", "podman"))
    return any(_succeeds([path, "info"]) for path in found if path)


@pytest.mark.toolchain
def test_a_real_engine_starts_a_container(tmp_path: Path) -> None:
    """Where an engine exists, its own image runs the worker's entry point, and the events come back."""
    if not engine_answers():
        pytest.skip("no container engine answers here")
    executor = ContainerExecutor(ContainerConfiguration("docker.io/library/python:3.12-slim"))
    plan = WorkerPlan(Path("/py"), "json", tmp_path / "run-1", {})
    process = executor.start(plan)
    assert process.stdin is not None
    process.stdin.write('{"id": 1, "op": "load"}\n')
    process.stdin.flush()
    assert process.stdout is not None
    assert '"done"' in process.stdout.readline()
    executor.stop(process, plan)

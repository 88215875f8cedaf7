"""Environments: named, locked, made whole or not at all, checked and removed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.aot import toy

from tpuguru.aot import runs
from tpuguru.aot.job import AotJob
from tpuguru.aot.record import FailureKind
from tpuguru.aot.toolchains import Toolchain, all_toolchains, find_toolchain
from tpuguru.aot.toolchains.data import ToolchainData, shipped_toolchains
from tpuguru.aot.toolchains.interpreter import find_interpreter
from tpuguru.aot.toolchains.locking import pinned_versions
from tpuguru.aot.toolchains.specification import parse_specification
from tpuguru.aot.toolchains.uv import find_uv, run_uv
from tpuguru.aot.toolchains.uv_toolchain import UvToolchain
from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.cli.dispatch import dispatch

_INSTALLER = """
import sys, time
import pytest
from pathlib import Path
from tests.aot import toy
from tpuguru.aot.toolchains import find_toolchain
toy.use_data(Path(sys.argv[1]), pytest.MonkeyPatch())
def progress(message):
    print(message, flush=True)
    if message.startswith("installing"):
        time.sleep(float(sys.argv[2]))
find_toolchain(toy.KEY).install(progress)
print("done", flush=True)
"""


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UvToolchain:
    """Give the toy toolchain with a cache folder that holds nothing."""
    toy.write_data(tmp_path / "data")
    toy.use_data(tmp_path / "data", monkeypatch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    toolchain = find_toolchain(toy.KEY)
    assert isinstance(toolchain, UvToolchain)
    return toolchain


def installer(tmp_path: Path, seconds: float) -> "subprocess.Popen[str]":
    """Start an installation in another process that stays ``seconds`` in the middle."""
    return subprocess.Popen(
        [sys.executable, "-c", _INSTALLER, str(tmp_path / "data"), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def until(process: "subprocess.Popen[str]", beginning: str) -> None:
    """Read the process's output up to a line."""
    assert process.stdout is not None
    assert any(line.startswith(beginning) for line in process.stdout), f"no line {beginning}"


def test_a_specification_is_read_and_spelt_in_one_way() -> None:
    """Order, case and underscores of pins say nothing."""
    one = parse_specification("maxtext==0.2.5, libtpu==0.0.50,JAX==0.12.0")
    assert one.key == "maxtext==0.2.5,jax==0.12.0,libtpu==0.0.50"
    assert parse_specification(one.key) == one


@pytest.mark.parametrize(
    "text", ["", "maxtext", "maxtext=0.2.5", "maxtext==0.2.5,--no-index==x", "a==1,b", "a==1;b"]
)
def test_what_is_no_specification_is_refused(text: str) -> None:
    """Nothing that is not a name and a version reaches uv."""
    with pytest.raises(UsageError, match="package==version"):
        parse_specification(text)


def test_an_unknown_toolchain_has_a_suggestion() -> None:
    """A version that does not exist is one sentence with one that does."""
    with pytest.raises(UsageError, match="no toolchain") as caught:
        find_toolchain("maxtext==0.2.6")
    assert caught.value.help == "did you mean maxtext==0.2.5?"


@pytest.mark.parametrize("data", shipped_toolchains(), ids=lambda data: data.key)
def test_a_shipped_lock_is_pinned_hashed_and_names_no_address(data: ToolchainData) -> None:
    """Every package has a version and hashes; no index, no link, no folder."""
    lock = data.lock.read_text()
    entries = re.findall(r"(?m)^[A-Za-z0-9].*?(?=^[A-Za-z0-9#]|\Z)", lock, re.DOTALL)
    assert len(entries) > 5
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    assert "://" not in lock
    assert "--index" not in lock
    pinned = pinned_versions(data.lock)
    asked = dict(re.findall(r"(?m)^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)$", data.root))
    assert asked
    assert asked.items() <= pinned.items()
    assert not set(data.without) & set(pinned)


def test_an_install_is_whole_healthy_and_removable(empty_cache: UvToolchain) -> None:
    """Install, check and remove do what they say, and an installed one is not made again."""
    said: list[str] = []
    assert empty_cache.health_check() == "it is not installed"
    empty_cache.install(said.append)
    assert said[0] == "the toy belongs to nobody"
    assert empty_cache.installed()
    assert empty_cache.health_check() is None
    before = empty_cache.python.lstat().st_ino
    empty_cache.install(said.append)
    assert empty_cache.python.lstat().st_ino == before
    empty_cache.remove()
    assert not empty_cache.installed()
    assert not empty_cache.folder.exists()


def test_a_killed_install_leaves_nothing_that_looks_whole(empty_cache: UvToolchain, tmp_path: Path) -> None:
    """After kill -9 the toolchain is not installed, and the next install cleans up and succeeds."""
    process = installer(tmp_path, 60)
    until(process, "installing")
    process.kill()
    process.wait()
    assert not empty_cache.installed()
    assert list(empty_cache.folder.parent.glob(".*building*"))
    empty_cache.install(lambda _message: None)
    assert empty_cache.health_check() is None
    assert not list(empty_cache.folder.parent.glob(".*building*"))


def test_an_interrupted_install_cleans_up(empty_cache: UvToolchain, tmp_path: Path) -> None:
    """Ctrl-C leaves no half environment behind."""
    process = installer(tmp_path, 60)
    until(process, "installing")
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)
    assert not empty_cache.folder.exists()
    assert not list(empty_cache.folder.parent.glob(".*building*"))


def test_two_installers_make_one_environment(empty_cache: UvToolchain, tmp_path: Path) -> None:
    """The second waits for the first, says so, and finds the work done."""
    first = installer(tmp_path, 2)
    until(first, "installing")
    said: list[str] = []
    started = time.monotonic()
    empty_cache.install(said.append)
    assert time.monotonic() - started > 1
    assert any("another process is installing" in message for message in said)
    assert not any(message.startswith("installing") for message in said)
    assert first.wait(timeout=20) == 0
    assert empty_cache.health_check() is None


def _lose_interpreter(toolchain: UvToolchain) -> None:
    toolchain.python.unlink()


def _lose_package_file(toolchain: UvToolchain) -> None:
    _package(toolchain).joinpath("thing.py").unlink()


def _truncate_package_file(toolchain: UvToolchain) -> None:
    _package(toolchain).joinpath("thing.py").write_text("x")


def _package(toolchain: UvToolchain) -> Path:
    site = next((toolchain.folder / "lib").glob("python*/site-packages"))
    (site / "thing.py").write_text("x = 1\n")
    (site / "thing-1.0.dist-info").mkdir()
    (site / "thing-1.0.dist-info" / "RECORD").write_text(
        "thing.py,sha256=0,6\nthing-1.0.dist-info/RECORD,,\n"
    )
    assert toolchain.health_check() is None
    return site


def _lose_package(toolchain: UvToolchain) -> None:
    (toolchain.folder / "tpuguru-lock.txt").write_text("gone==2.0 --hash=sha256:0\n")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_lose_interpreter, "does not start"),
        (_lose_package_file, "the file thing.py is missing"),
        (_truncate_package_file, "the file thing.py has 1 bytes instead of 6"),
        (_lose_package, "gone 2.0 is missing"),
    ],
)
def test_damage_is_found_and_the_repair_is_named(
    empty_cache: UvToolchain,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[UvToolchain], None],
    said: str,
) -> None:
    """A check names what is wrong, exits with 4, and gives the command that repairs it."""
    empty_cache.install(lambda _message: None)
    damage(empty_cache)
    assert dispatch(["toolchain", "check", toy.KEY]) == 4
    error = capsys.readouterr().err
    assert said in error
    assert "tpuguru toolchain remove 'toy==1.0' && tpuguru toolchain install 'toy==1.0'" in error


def test_a_broken_toolchain_is_named_by_a_run(toy_toolchain: AotJob, toy_cache: Path) -> None:
    """When the worker cannot start, the failure says what is broken in the toolchain, not which import noticed."""
    toolchain = find_toolchain(toy.KEY)
    assert isinstance(toolchain, UvToolchain)
    worker = next((toolchain.folder / "lib").glob("python*/site-packages/toy_worker.py"))
    hidden = worker.with_suffix(".hidden")
    worker.rename(hidden)
    try:
        record = runs.run(toy_toolchain)
    finally:
        hidden.rename(worker)
    assert record.failure is not None
    assert record.failure.kind is FailureKind.TOOLCHAIN_BROKEN
    with pytest.raises(ToolFailureError) as caught:
        runs.raise_if_tool_failed(record)
    assert "tpuguru toolchain install" in str(caught.value.help)


def test_too_little_space_is_said_before_anything_is_made(
    empty_cache: UvToolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is one sentence."""
    monkeypatch.setattr("shutil.disk_usage", lambda _path: type("Usage", (), {"free": 0})())
    with pytest.raises(ToolFailureError, match="needs 1 B in"):
        empty_cache.install(lambda _message: None)
    assert not empty_cache.folder.exists()


def test_what_uv_says_is_passed_on() -> None:
    """A failing uv is one error that holds its last lines."""
    with pytest.raises(ToolFailureError, match="no-such-command"):
        run_uv(["no-such-command"], purpose="testing")


def test_uv_and_an_interpreter_are_found() -> None:
    """The core's own uv is found, and a CPython of the wanted version when there is one."""
    assert find_uv().is_file()
    version = "{}.{}".format(*sys.version_info[:2])
    assert Path(find_interpreter(version)).exists()
    assert find_interpreter("9.9") == "9.9"


def test_the_list_names_versions(capsys: pytest.CaptureFixture[str]) -> None:
    """The list says what is in each toolchain and whether it is there."""
    assert dispatch(["toolchain", "list"]) == 0
    output = capsys.readouterr().out
    toolchains: list[Toolchain] = all_toolchains()
    assert [line.split("  ")[0] for line in output.splitlines()] == [each.key for each in toolchains]
    assert "jax 0.12.0.1 jaxlib 0.12.0.1 libtpu 0.0.52" in output


def test_an_action_without_a_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the toolchains that there are."""
    assert dispatch(["toolchain", "install"]) == 2
    assert "maxtext==0.2.5" in capsys.readouterr().err

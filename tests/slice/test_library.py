"""Where the plugin comes from: shipped, compiled once, or one sentence about why it cannot be."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.base.locations import data_directory
from tpuguru.slice import compiler, library

# Plays a compiler: notes each call, takes a moment, writes its output.
_COMPILER = """#!/bin/sh
echo "$$ $*" >> {folder}/calls
sleep {seconds}
while [ $# -gt 1 ]; do [ "$1" = -o ] && : > "$2"; shift; done
"""
_ASK = "from tpuguru.slice.library import plugin_library; print(plugin_library())"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test's own, and a compiler that is quick."""
    _play_compiler(tmp_path, monkeypatch, seconds=0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TPUGURU_SLICE_LIBRARY", raising=False)
    return tmp_path


def _play_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    script = folder / "compiler"
    script.write_text(_COMPILER.format(folder=folder, seconds=seconds), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))


def _calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text(encoding="utf-8").splitlines()


def _units() -> int:
    return len(list(data_directory("native").glob("*/*.cc")))


def test_it_is_compiled_once(environment: Path) -> None:
    """Every source once, one link; the second question compiles nothing and gives the same file."""
    first = library.plugin_library()
    assert first.is_file()
    assert len(_calls(environment)) == _units() + 1
    assert library.plugin_library() == first
    assert len(_calls(environment)) == _units() + 1
    assert not list(first.parent.glob("tpuguru-build-*"))


def test_two_processes_compile_once(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second waits for the first and takes what it made."""
    _play_compiler(environment, monkeypatch, seconds=0.05)
    both = [
        subprocess.Popen([sys.executable, "-c", _ASK], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[0] for process in both]
    assert said[0] == said[1] != ""
    assert len(_calls(environment)) == _units() + 1


def test_an_interruption_ends_the_build_at_once(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C: sources that wait are not compiled, nothing half-made is left, and the next build works."""
    _play_compiler(environment, monkeypatch, seconds=0.3)
    process = subprocess.Popen([sys.executable, "-c", _ASK], stderr=subprocess.DEVNULL)
    while not (environment / "calls").exists():
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    process.wait(timeout=30)
    assert len(_calls(environment)) < _units()
    assert not list((environment / "cache").rglob("*.so"))
    assert not list((environment / "cache").rglob("*.o"))
    _play_compiler(environment, monkeypatch, seconds=0)
    assert library.plugin_library().is_file()


def test_what_a_killed_build_left_is_removed(environment: Path) -> None:
    """The next build cleans up after one that could not."""
    folder = environment / "cache/tpuguru/slice" / compiler.library_folder(data_directory("native"))
    left = folder / "tpuguru-build-dead"
    left.mkdir(parents=True)
    (left / "0.o").write_bytes(b"half")
    library.plugin_library()
    assert not left.exists()


def test_a_cache_that_cannot_be_written_is_one_sentence(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where the folder should be, as on a read-only home: what to set is said."""
    blocked = environment / "blocked"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with pytest.raises(ToolFailureError, match="cannot be written to") as raised:
        library.plugin_library()
    assert "XDG_CACHE_HOME" in str(raised.value.help)


def test_a_full_disk_is_the_compilers_own_sentence(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the compiler says of the disk is passed on; nothing half-made is left."""
    broken = environment / "full"
    broken.write_text("#!/bin/sh\necho 'error: x.o: No space left on device' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(ToolFailureError, match="No space left on device"):
        library.plugin_library()
    assert not list((environment / "cache").rglob("*.so"))


def test_a_shipped_library_of_these_sources_is_taken(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of other sources is not: the plugin is then compiled."""
    copy = environment / "native"
    shutil.copytree(data_directory("native"), copy)
    monkeypatch.setattr(library, "data_directory", lambda name: copy)
    shipped = copy / "ready" / compiler.library_folder(copy) / compiler.LIBRARY_NAME
    shipped.parent.mkdir(parents=True)
    shipped.write_bytes(b"")
    assert library.plugin_library() == shipped
    assert not (environment / "calls").exists()
    (copy / "abi" / "types.h").write_text("// changed", encoding="utf-8")
    assert library.plugin_library() != shipped


def test_a_named_library_must_be_there(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """$TPUGURU_SLICE_LIBRARY wins over everything, and is said when it names nothing."""
    named = environment / "mine.so"
    monkeypatch.setenv("TPUGURU_SLICE_LIBRARY", str(named))
    with pytest.raises(UsageError, match="TPUGURU_SLICE_LIBRARY"):
        library.plugin_library()
    named.write_bytes(b"")
    assert library.plugin_library() == named


def test_a_compiler_that_fails_is_one_sentence(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's own first error is in it."""
    broken = environment / "broken"
    broken.write_text("#!/bin/sh\necho 'x.cc:1: error: too old' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(ToolFailureError, match="too old"):
        library.plugin_library()


def test_no_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a compiler."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(compiler, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as raised:
        compiler.find_compiler()
    assert "ziglang" in str(raised.value.help)


def test_another_content_is_another_library(tmp_path: Path) -> None:
    """The key follows every source file, so an old library is never used for new sources."""
    copy = tmp_path / "native"
    shutil.copytree(data_directory("native"), copy)
    before = compiler.sources_key(copy)
    assert before == compiler.sources_key(data_directory("native"))
    for name in ("abi/types.h", "exports.map"):
        file = copy / name
        file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        after = compiler.sources_key(copy)
        assert after != before
        before = after


@pytest.mark.parametrize(
    ("system", "machine", "sentence"),
    [
        ("darwin", "arm64", "needs Linux"),
        ("win32", "AMD64", "needs Linux"),
        ("linux", "riscv64", "not riscv64"),
    ],
)
def test_a_platform_without_libtpu_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, sentence: str
) -> None:
    """The command asks this before it imports what only Linux has."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(UsageError, match=sentence):
        compiler.require_platform()


def test_rehearse_on_another_system_is_one_sentence() -> None:
    """Through the command line, without the modules that only some systems have."""
    pretend = (
        "import sys; sys.platform = 'darwin'; sys.modules['fcntl'] = sys.modules['resource'] = None\n"
        "from tpuguru.cli.main import main\n"
        "sys.exit(main(['rehearse', '--slice', 'v6e-16', '--', 'python', 'x.py']))"
    )
    done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "needs Linux" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr

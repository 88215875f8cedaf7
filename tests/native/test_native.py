"""The plugin's sources: they compile, their parts behave, and the library exports one symbol only."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.native.compiling import HERE, SOURCES, compile_with, needs_compiler

from tpuguru.base.errors import ToolFailureError, UsageError
from tpuguru.slice import library

PARTS = (
    *("memory/array_type", "memory/strides", "program/canonical_options", "program/device_assignment"),
    *("program/facts", "program/pack", "program/sha256", "program/wire", "records/files", "records/json"),
    *("values/unknown", "core/settings"),
)


@needs_compiler
@pytest.mark.slow
def test_parts(tmp_path: Path) -> None:
    """Layouts, strides, wire format, facts, JSON and files, with address and undefined-behaviour checks on."""
    program = compile_with(
        *(tmp_path / "unit", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"),
        *(str(HERE / "unit.cc"), *(f"{SOURCES}/{part}.cc" for part in PARTS)),
    )
    ran = subprocess.run(
        [str(program), str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "13 passed\n"), ran.stdout + ran.stderr[-3000:]


@needs_compiler
@pytest.mark.slow
def test_the_library_exports_nothing_else() -> None:
    """Nothing of ours can be mistaken for a symbol of a framework's own copy of something."""
    path = library.plugin_library()
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True
    )
    ours = [line.split()[-1] for line in listed.stdout.splitlines() if " T " in line]
    assert sorted(ours) == ["GetPjrtApi", "TpuguruSliceReceives", "TpuguruSliceSelfTest", "TpuguruSliceWaits"]


def test_a_compiler_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's own first error is in it."""
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'x.cc:1: error: too old' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TPUGURU_SLICE_LIBRARY", raising=False)
    with pytest.raises(ToolFailureError, match="too old"):
        library.plugin_library()
    assert not list(tmp_path.rglob("*.so"))


def test_no_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a compiler."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as raised:
        library.find_compiler()
    assert "ziglang" in str(raised.value.help)


def test_another_content_is_another_library(tmp_path: Path) -> None:
    """The key follows every source file, so an old library is never used for new sources."""
    copy = tmp_path / "native"
    shutil.copytree(SOURCES, copy)
    before = library.sources_key(copy)
    assert before == library.sources_key(SOURCES)
    header = copy / "abi" / "types.h"
    header.write_text(header.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert library.sources_key(copy) != before


def test_every_slot_is_handled_by_name() -> None:
    """The list of PJRT calls has no duplicates, and each override in the sources names one of them."""
    slots = re.findall(r"X\([\s\\]*(\w+)[\s\\]*\)", (SOURCES / "abi" / "slots.h").read_text(encoding="utf-8"))
    known = [name for name in slots if name != "X"]
    assert len(known) == len(set(known)) == 138
    used = {
        name
        for path in SOURCES.glob("*/*.cc")
        for name in re.findall(r"SLICE_OVERRIDE\((\w+)\)", path.read_text(encoding="utf-8"))
    }
    assert used <= set(known)
    assert len(used) > 90

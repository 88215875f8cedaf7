"""The plugin's sources: they compile, their parts behave, and the library exports one symbol only."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.native.compiling import HERE, SOURCES, compile_with, needs_compiler

from tpuguru.slice.library import plugin_library

PARTS = (
    *("core/settings", "memory/account", "memory/array_type", "memory/strides"),
    *("program/canonical_options", "program/device_assignment", "program/facts", "program/pack"),
    *("program/sha256", "program/wire", "records/files", "records/json"),
    *("values/connection", "values/protocol", "values/unknown", "values/value"),
)


@needs_compiler
@pytest.mark.slow
def test_parts(tmp_path: Path) -> None:
    """Each folder's tests in unit/, with the checks for addresses and undefined behaviour switched on."""
    program = compile_with(
        *(tmp_path / "unit", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"),
        *("-pthread", "-I", str(HERE), *(str(path) for path in sorted((HERE / "unit").glob("*.cc")))),
        *(f"{SOURCES}/{part}.cc" for part in PARTS),
    )
    ran = subprocess.run(
        [str(program), str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "passed\n"), ran.stdout + ran.stderr[-3000:]


@needs_compiler
@pytest.mark.slow
def test_the_library_exports_nothing_else() -> None:
    """Nothing of ours can be mistaken for a symbol of a framework's own copy of something."""
    path = plugin_library()
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True
    )
    ours = [line.split()[-1] for line in listed.stdout.splitlines() if " T " in line]
    assert sorted(ours) == ["GetPjrtApi", "TpuguruSliceReceives", "TpuguruSliceSelfTest", "TpuguruSliceWaits"]


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

"""The plugin meets a libtpu that does not fit: each mismatch is refused, or passed by, by name."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.native.compiling import HERE, SOURCES, compile_with, needs_compiler

from tpuguru.slice.library import plugin_library
from tpuguru.slice.self_test import self_test

pytestmark = [needs_compiler, pytest.mark.slow]

# Asks the plugin's own table: the types of its extensions, and what some of its slots answer to a structure
# of the given size.
_ASK = """
import ctypes, json, sys
from ctypes import POINTER, c_int, c_size_t, c_void_p, cast
def words(address): return cast(address, POINTER(c_size_t))
def call(slot, size, *more):
    arguments = (c_size_t * 64)(size, 0, *more)
    return ctypes.CFUNCTYPE(c_void_p, c_void_p)(table[5 + slot])(ctypes.addressof(arguments)), arguments
def message(error):
    _, arguments = call(1, 40, error)
    return ctypes.string_at(arguments[3], arguments[4]).decode()
load = lambda path: ctypes.CDLL(path).GetPjrtApi
get, theirs = load(sys.argv[1]), load(sys.argv[2])
get.restype = theirs.restype = c_void_p
table, original = words(get()), words(theirs())
extensions, at = [], table[1]
while at:
    extensions.append(cast(at, POINTER(c_int))[2])
    at = words(at)[2]
slots = (table[0] - 40) // 8
answers = {slot: message(call(slot, size)[0]) for slot, size in json.loads(sys.argv[3])}
passed = [slot for slot in range(slots) if table[5 + slot] == original[5 + slot]]
print(json.dumps({"extensions": extensions, "slots": slots, "answers": answers, "passed": passed}))
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that plays libtpu."""
    target = tmp_path_factory.mktemp("fake") / "libtpu.so"
    return compile_with(target, "-shared", "-fPIC", str(HERE / "fake_libtpu.cc"))


def ask(fake: Path, *questions: tuple[int, int], slots: int = 138) -> dict[str, Any]:
    """Load the plugin on the stand-in and ask its table; ``questions`` are (slot, size of the structure)."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK, str(plugin_library()), str(fake), json.dumps(questions)],
        env=os.environ | {"TPUGURU_SLICE_LIBTPU": str(fake), "FAKE_SLOTS": str(slots)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_one_that_fits_is_asked_to_compile(fake: Path) -> None:
    """Nothing is wrong with the table, so the self-test gets as far as the stand-in goes."""
    assert self_test(plugin_library(), fake) == "the stand-in compiles nothing"


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("FAKE_MAJOR", "1", "this libtpu speaks PJRT 1.200; only major version 0 is supported"),
        ("FAKE_SLOTS", "127", "whose table ends before Event_Set; libtpu 0.0.34 or newer is needed"),
        ("FAKE_SLOTS", "0", "whose table ends before Event_Set"),
        ("FAKE_EMPTY", "1", "gives no table of functions"),
        ("FAKE_SMALL", "Compile", "its PJRT structure for Compile has 47 bytes; the plugin uses 64"),
        ("FAKE_SMALL", "Event_Create", "its PJRT structure for Event_Create has 7 bytes"),
        ("FAKE_SMALL", "serialize", "its PJRT structure for serialize has 39 bytes; the plugin uses 56"),
        ("FAKE_HUGE", "Executable_Name", "has 4136 bytes; the plugin has room for 168"),
        (
            "FAKE_SILENT",
            "Executable_Name",
            "does not say how large its PJRT structure for Executable_Name is",
        ),
        ("FAKE_WITHOUT", "4", "does not describe layouts"),
        ("FAKE_WITHOUT", "6", "does not describe memories"),
    ],
)
def test_a_mismatch_is_one_sentence(
    fake: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    """An older or newer table, a structure of another size, a missing extension."""
    monkeypatch.setenv(variable, value)
    objection = self_test(plugin_library(), fake)
    assert sentence in objection
    assert "\n" not in objection


def test_calls_that_are_still_to_come_are_refused_by_number(fake: Path) -> None:
    """They may take a handle of ours, on which libtpu would crash; the stand-in's own would abort."""
    answer = ask(fake, (138, 64), (140, 64), slots=141)
    assert answer["slots"] == 141
    for slot in ("138", "140"):
        assert f"(slot {slot}) is not supported" in answer["answers"][slot]


def test_known_calls_are_refused_by_name_or_passed_on(fake: Path) -> None:
    """A call on a buffer never reaches libtpu; one on a topology is libtpu's own function."""
    slots = _slots()
    bitcast = slots.index("Buffer_Bitcast")
    answer = ask(fake, (bitcast, 64))
    assert answer["answers"][str(bitcast)] == (
        f"tpuguru virtual slice: PJRT Buffer_Bitcast (slot {bitcast}) is not supported"
    )
    passed = {slots[slot] for slot in answer["passed"]}
    assert {"TopologyDescription_Serialize", "Event_Await", "Plugin_Initialize"} <= passed
    assert not [name for name in passed if name.startswith(("Buffer_", "Client_", "Device_", "Executable_"))]


def test_an_older_table_stays_as_short(fake: Path) -> None:
    """libtpu 0.0.34's 128 slots: nothing is offered that it does not have."""
    assert ask(fake, slots=128)["slots"] == 128


def test_unknown_extensions_are_not_offered(fake: Path) -> None:
    """Frameworks see those that the plugin can answer."""
    assert sorted(ask(fake)["extensions"]) == [4, 6]


def test_a_framework_with_a_smaller_structure_is_told(fake: Path) -> None:
    """A call of a framework that is older than the plugin, with sizes in the sentence."""
    slot = _slots().index("Client_Devices")
    said = ask(fake, (slot, 24))["answers"][str(slot)]
    assert "Client_Devices" in said
    assert "24" in said
    assert "40" in said


def test_every_call_into_libtpu_has_its_size_checked() -> None:
    """The self-test's list is complete: all slots that the sources call, but the two that return nothing."""
    checked = set(re.findall(r"SLOT\((\w+)\)", _source("selftest/structures.cc"))) - {"name"}
    called = {
        name
        for path in SOURCES.glob("*/*.cc")
        for name in re.findall(r"CallLibtpu<pjrt::k(\w+)>", path.read_text(encoding="utf-8"))
    }
    assert called - checked == {"Error_Message", "Error_Destroy"}
    assert not checked - called


def _slots() -> list[str]:
    listed = _source("abi/slots.h").partition("#define PJRT_SLOTS(X)")[2].partition("// clang-format on")[0]
    return re.findall(r"X\((\w+)\)", listed)


def _source(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")

"""A program that never ends is stopped, and the report says by what it would not have ended."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.slice.conftest import Rehearse

from tpuguru.slice.guard import Guard


def program(index: int, name: str, content: str, pid: int = 1) -> dict[str, Any]:
    return {
        "event": "program",
        "pid": pid,
        "index": index,
        "name": name,
        "program": content,
        "python": "a.py:3",
    }


def executed(index: int, *arguments: str) -> dict[str, Any]:
    return {"event": "first_execution", "pid": 1, "index": index, "arguments": list(arguments)}


CLIENT = {"event": "client", "pid": 1, "process": 3}


def follow(folder: Path, *events: dict[str, Any], most_programs: int = 40, most_reads: int = 100) -> str:
    index = folder / "index.jsonl"
    guard = Guard(index, most_programs, most_reads)
    assert guard.look() == ""
    for event in events:
        with index.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event, separators=(",", ":")) + "\n")
        reason = guard.look()
        if reason:
            return reason
    return ""


def test_one_name_with_ever_new_shapes(tmp_path: Path) -> None:
    """The name, the line, the number and the argument that grew."""
    events = [CLIENT]
    for index in range(20):
        events += [program(index, "jit_cat", f"content {index}"), executed(index, "s32[]", f"f32[1,{index}]")]
    assert follow(tmp_path, *events) == (
        "process 3 compiled 11 different programs named jit_cat (at a.py:3); argument 1: f32[1,0] → f32[1,9]"
    )


def test_many_names(tmp_path: Path) -> None:
    """A bound for all programs together."""
    events = [CLIENT, *(program(index, f"jit_{index % 8}", f"content {index}") for index in range(60))]
    assert follow(tmp_path, *events).startswith(
        "process 3 compiled 41 different programs, 6 of them named jit_0"
    )


def test_what_is_loaded_again_counts_once(tmp_path: Path) -> None:
    """Every rank, and every run of one function, loads the same program."""
    events = [program(index, "jit_step", f"content {index % 5}", pid=index % 4) for index in range(400)]
    assert follow(tmp_path, *events) == ""


def read(use: str) -> dict[str, Any]:
    return {"event": "unknown_read", "pid": 1, "index": 0, "array": "s32[]", "python": "b.py:9", "use": use}


def told(in_loop: int) -> dict[str, Any]:
    return {"event": "unknown_told", "pid": 1, "index": 0, "in_loop": in_loop}


def test_a_loop_that_asks_for_ever(tmp_path: Path) -> None:
    """The line, the number of reads, the array."""
    reason = follow(tmp_path, read("loop"), told(51), told(102))
    assert reason.startswith("b.py:9 asked 102 times for s32[]")


def test_a_line_that_reads_at_each_step_is_no_loop(tmp_path: Path) -> None:
    """A training loop may read as often as it has steps."""
    assert follow(tmp_path, read(""), told(51), told(100_000)) == ""


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    """The plugin may be writing."""
    index = tmp_path / "index.jsonl"
    guard = Guard(index, 40, 50)
    text = (
        json.dumps(read("loop"), separators=(",", ":")) + "\n" + json.dumps(told(60), separators=(",", ":"))
    )
    index.write_text(text[:-5], encoding="utf-8")
    assert guard.look() == ""
    index.write_text(text + "\n", encoding="utf-8")
    assert guard.look().startswith("b.py:9 asked 60 times")


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "options", "reason"),
    [
        ("compile", ("--most-programs", "60"), "argument 1: f32[2] → f32[1"),
        ("read", ("--most-reads", "200"), "endless.py:18 asked 2"),
    ],
)
def test_an_endless_program_is_stopped(
    rehearse: Rehearse, way: str, options: tuple[str, ...], reason: str
) -> None:
    """It keeps its records, and the exit code is that of a finding."""
    run = rehearse("--slice", "v6e:1x1", "--timeout", "100", *options, program="endless.py", arguments=(way,))
    assert run.code == 1
    assert run.report["ending"]["how"] == "stopped"
    assert reason in run.report["ending"]["reason"]
    assert run.report["programs"]

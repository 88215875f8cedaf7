"""Reading what the plugin wrote, whole or not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.errors import NothingToCheckError, TpuguruError
from tpuguru.report.contracts.timeline import to_timeline
from tpuguru.slice.record_reader import read_records
from tpuguru.slice.summary import summarise

MEMORY = {"argument": 10, "output": 10, "alias": 0, "temp": 5, "peak": 25, "code": 100}


def client(pid: int = 1) -> dict[str, Any]:
    return {
        "event": "client",
        "time": 100.0,
        "pid": pid,
        "topology": "v6e:2x2",
        "slices": 1,
        "process": 0,
        "platform_version": "x",
        "api_version": "0.117",
        "bytes_limit": 1000,
        "devices": [
            {"id": 0, "kind": "TPU v6 lite", "addressable": True},
            {"id": 1, "kind": "TPU v6 lite", "addressable": False},
        ],
    }


def program(index: int, name: str, flops: float, time: float, folder: str = "") -> dict[str, Any]:
    return {
        "event": "program",
        "time": time,
        "pid": 1,
        "program": folder or f"{name}-{index}",
        "index": index,
        "name": name,
        "caller": "libjax_common.so",
        "python": "a.py:1",
        "seconds": 2.0,
        "cached": False,
        "num_partitions": 1,
        "devices": [0],
        "memory": MEMORY,
        "flops": flops,
        "donated": [],
    }


def first(index: int, time: float, *arguments: str) -> dict[str, Any]:
    return {"event": "first_execution", "time": time, "pid": 1, "index": index, "arguments": list(arguments)}


def counts(**executions: int) -> dict[str, Any]:
    moved = {"count": 1, "bytes": 8}
    return {
        "event": "counts",
        "time": 200.0,
        "pid": 1,
        "executions": {name.removeprefix("p"): count for name, count in executions.items()},
        "to_device": moved,
        "to_host": moved,
    }


def write(folder: Path, *lines: dict[str, Any], tail: str = "") -> Path:
    (folder / "index.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines) + tail, encoding="utf-8"
    )
    return folder


def test_a_recompilation_names_the_argument_that_changed(tmp_path: Path) -> None:
    """The step was compiled again for another length after it had run."""
    folder = write(
        tmp_path,
        client(),
        program(0, "jit_step", 100.0, 101.0),
        first(0, 102.0, "f32[8,128]", "s32[]"),
        program(1, "jit_step", 90.0, 110.0),
        first(1, 111.0, "f32[8,129]", "s32[]"),
        program(2, "jit_metrics", 1.0, 112.0),
        counts(p0=5, p1=1, p2=1),
    )
    summary = summarise(read_records(folder))
    assert summary.main is not None
    assert (summary.main.name, summary.main.executions) == ("jit_step", 5)
    assert [(late.name, late.change) for late in summary.late] == [
        ("jit_step", "argument 0: f32[8,128] → f32[8,129]"),
        ("jit_metrics", ""),
    ]


def test_what_is_compiled_after_ready_is_late(tmp_path: Path) -> None:
    """Of a server the mark is its own word, not the first execution of its biggest program."""
    folder = write(
        tmp_path,
        client(),
        program(0, "jit_step", 100.0, 101.0),
        first(0, 102.0, "f32[16,128]"),
        program(1, "jit_step", 200.0, 103.0),
        program(2, "jit_sample", 1.0, 120.0),
        counts(p0=3, p2=1),
    )
    summary = summarise(read_records(folder), ready_at=110.0)
    assert summary.ready
    assert [late.name for late in summary.late] == ["jit_sample"]
    assert [late.name for late in summarise(read_records(folder)).late] == ["jit_step", "jit_sample"]


def test_a_killed_process_leaves_its_samples(tmp_path: Path) -> None:
    """Without an exit record the peak is that of the samples, and not called exact; half a line is passed over."""
    sample = {
        "event": "memory",
        "time": 101.0,
        "pid": 1,
        "device": 0,
        "live": 10,
        "during": 500,
        "code": 1,
        "host": 0,
        "index": 0,
    }
    folder = write(tmp_path, client(), program(0, "jit_step", 1.0, 100.5), sample, tail='{"event": "memo')
    records = read_records(folder)
    [device] = summarise(records).devices
    assert (device.peak_bytes, device.limit_bytes, device.exact) == (500, 1000, False)
    [timeline] = to_timeline(records).devices
    assert [(point.seconds, point.during, point.program) for point in timeline.points] == [(1.0, 500, 0)]


def compiling(event: str, program: str, **more: str | float) -> dict[str, Any]:
    return {"event": event, "time": 101.0, "pid": 1, "program": program, **more}


def test_a_process_that_the_compiler_took_down_says_where(tmp_path: Path) -> None:
    """What was being compiled when a process ended is an error with its line; what was finished is not."""
    folder = write(
        tmp_path,
        client(),
        compiling("compiling", "done", python="a.py:1"),
        compiling("compiled", "done", seconds=1.5),
        compiling("compiling", "fatal", python="a.py:2"),
    )
    records = read_records(folder)
    assert records.compiles[1, "done"].seconds == 1.5
    [error] = records.errors
    assert (error.kind, error.where, error.python) == ("compile", "fatal", "a.py:2")


def test_no_records_is_nothing_to_check(tmp_path: Path) -> None:
    """A program that never asked for a TPU is not a success."""
    with pytest.raises(NothingToCheckError):
        read_records(tmp_path)


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.sampled_from([client(), program(0, "a", 1.0, 1.0), counts(p0=1)]).map(
                lambda line: json.dumps(line).encode()
            ),
            st.dictionaries(
                st.sampled_from(["event", "pid", "time"]), st.sampled_from(["client", "memory", 1, None, []])
            ).map(lambda line: json.dumps(line).encode()),
        ),
        max_size=8,
    )
)
def test_no_index_is_too_damaged_for_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    """Any bytes give records or an error of ours, never a traceback."""
    folder = tmp_path_factory.mktemp("records")
    (folder / "index.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    try:
        summarise(read_records(folder))
    except TpuguruError:
        return


def step(index: int, second: float) -> dict[str, Any]:
    moved = {"count": 0, "bytes": 0}
    both = {"to_device": moved, "to_host": moved}
    return counts(p0=5, p1=5) | {"step": {"index": index, "second": second, "first": both, "last": both}}


@pytest.mark.parametrize(
    ("caller", "late"), [("libjax_common.so", ["jit_step", "jit_save"]), ("libxla_base.so", ["jit_save"])]
)
def test_the_first_step_is_over_when_the_next_begins(tmp_path: Path, caller: str, late: list[str]) -> None:
    """What compiles before is part of it; the step for other shapes is not, unless programs are operations."""
    lines = [
        program(0, "jit_step", 100.0, 101.0),
        first(0, 102.0, "f32[8]"),
        program(1, "jit_step", 90.0, 103.0),
        first(1, 104.0, "f32[9]"),
        program(2, "jit_metrics", 1.0, 105.0),
        program(3, "jit_save", 1.0, 111.0),
    ]
    named = [line | {"caller": caller} if line["event"] == "program" else line for line in lines]
    folder = write(tmp_path, client(), *named, step(0, 110.0))
    assert [each.name for each in summarise(read_records(folder)).late] == late

"""What ``tpuguru rehearse --show`` says of a kept rehearsal; TPUGURU_UPDATE_SNAPSHOTS=1 writes it anew."""

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.report.rehearsal import kept

from tpuguru.base.locations import data_directory
from tpuguru.cli.main import main

SNAPSHOTS = Path(__file__).with_name("snapshots")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty state folder that the command line uses."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


type Capture = pytest.CaptureFixture[str]


def report(capsys: Capture, run_id: str = kept.RUN_ID, expected: int = 0) -> dict[str, Any]:
    """The report as JSON."""
    assert main(["rehearse", "--show", run_id, "--output-format", "json"]) == expected
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def text(capsys: Capture, run_id: str = kept.RUN_ID) -> str:
    """The report as text."""
    main(["rehearse", "--show", run_id])
    return capsys.readouterr().out


def test_the_text_is_the_snapshot(state: Path, capsys: Capture) -> None:
    """What the user reads changes only on purpose."""
    kept.keep(state)
    shown = text(capsys).replace(str(state), "STATE")
    path = SNAPSHOTS / "step.txt"
    if os.environ.get("TPUGURU_UPDATE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


def test_json_keeps_the_contract(state: Path, capsys: Capture) -> None:
    """The JSON validates against the published schema."""
    kept.keep(state)
    schema = json.loads((data_directory("contracts") / "rehearsal.v1.json").read_text())
    jsonschema.validate(report(capsys), schema)


def test_a_program_carries_all_that_its_artifacts_say(state: Path, capsys: Capture) -> None:
    """Memory, kernels and collectives by mesh axis of the step; of another program why they are not there."""
    kept.keep(state)
    by_name = {(each["name"], each["runs"]): each for each in report(capsys)["programs"]}
    step = by_name["jit_step", 5]["extract"]
    assert step["memory"]["fit_bytes"] == 98304 + 65536 + 4096 - 32768
    assert step["memory"]["made"]
    assert step["code_path"]["kernels"]
    assert {tuple(each["axes"]) for each in step["collectives"]["by_axis"]}
    assert by_name["jit_init", 1]["extract"] is None
    assert "binary" in by_name["jit_init", 1]["not_read"]


def test_the_peak_names_who_made_what_was_alive(state: Path, capsys: Capture) -> None:
    """Arrays with the line that had their maker compiled, and what the running program needed beside them."""
    kept.keep(state)
    peak = report(capsys)["peak"]
    assert (peak["device"], peak["bytes"], peak["program"]) == (1, 200000, "jit_step")
    parts = {part["what"]: (part["bytes"], part["python"]) for part in peak["parts"]}
    assert parts["f32[64,128]"] == (65536, "/home/me/job/train.py:41")
    assert parts["s32[16]"] == (512, "")
    assert parts["temporaries and outputs of the running program"][0] == 100000


def test_transfers_are_those_of_one_step(state: Path, capsys: Capture) -> None:
    """Four intervals between five executions; what was moved before the first one is not a step's."""
    kept.keep(state)
    step = report(capsys)["step"]
    assert (step["reads"], step["read_bytes"], step["writes"], step["write_bytes"]) == (5, 20, 1, 256)
    assert [reader["python"] for reader in step["readers"]] == ["/home/me/job/train.py:61"]


def test_rules_see_the_rehearsal(state: Path, capsys: Capture) -> None:
    """The step compiled for a second shape, five reads a step, and JAX's word on donated buffers."""
    kept.keep(state)
    names = {finding["name"] for finding in report(capsys)["findings"]}
    assert names == {
        "step-compiled-for-other-shapes",
        "values-read-in-every-step",
        "donated-buffers-not-usable",
    }


def test_devices_without_use_are_named(state: Path, capsys: Capture) -> None:
    """One of four devices did everything; the other three belong to no process that joined."""
    lines = [
        kept.client(devices=(0,)),
        kept.program(0, "jit_step", devices=[0]),
        kept.first(0, 102.0, "f32[8]"),
        kept.sample(102.0, 0, 5000),
        kept.counts(executions={"0": 3}),
    ]
    kept.keep(state, *lines)
    found = report(capsys)
    assert [(each["device"], each["executions"]) for each in found["devices"]] == [(0, 3)]
    assert "devices-never-used" in {finding["name"] for finding in found["findings"]}
    assert "3 of 4 devices were never used" in text(capsys)


def test_where_it_stopped(state: Path, capsys: Capture) -> None:
    """A failed program: the traceback's exception and the user's line first, each process's last place below."""
    traceback = (
        "[0 err] Traceback (most recent call last):\n"
        '[0 err]   File "/home/me/job/train.py", line 61, in <module>\n'
        "[0 err]     loss = float(step(x))\n"
        '[0 err]   File "/env/lib/python3.12/site-packages/jax/_src/array.py", line 9, in __float__\n'
        "[0 err] ValueError: key=1 is not hf_abcdefghijk\n"
    )
    lines = [*kept.INDEX[:5], kept.counts()]
    kept.keep(state, *lines, output=traceback, codes=[1])
    shown = text(capsys)
    assert "rank 0: ValueError: key=1 is not <redacted>  (me/job/train.py:61)" in shown.splitlines()[1]
    assert "process 0, at 20.0 s: last ran jit_step (me/job/train.py:61), then was killed" in shown
    found = report(capsys, expected=1)
    [trace] = found["tracebacks"]
    assert trace["raised_at"].endswith("jax/_src/array.py:9")
    assert found["ending"]["how"] == "failed"


def test_a_rehearsal_of_a_killed_tpuguru_can_be_shown(state: Path, capsys: Capture) -> None:
    """There is no outcome: it counts as stopped, and its records are reported."""
    (kept.keep(state) / "rehearsal.json").unlink()
    found = report(capsys, expected=1)
    assert found["ending"]["how"] == "stopped"
    assert found["programs"]


def test_the_list_shows_the_newest_first(state: Path, capsys: Capture) -> None:
    """With how each ended, and its command; other folders are passed over."""
    kept.keep(state, run_id="20261201-090000-000001", codes=[1])
    kept.keep(state)
    (state / "tpuguru" / "rehearsals" / "notes").mkdir()
    assert main(["rehearse", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [
        [kept.RUN_ID, "ended", "v6e-4"],
        ["20261201-090000-000001", "failed", "v6e-4"],
    ]
    assert lines[0].endswith("python train.py")


@pytest.mark.parametrize(
    ("beginning", "sentence"),
    [
        ("20261201-10", None),
        ("2026", "several rehearsals begin with"),
        ("20251201", "there is no rehearsal"),
        ("../../etc", "there is no rehearsal"),
    ],
)
def test_a_rehearsal_is_found_by_its_beginning(
    state: Path, capsys: Capture, beginning: str, sentence: str | None
) -> None:
    """An unambiguous one is enough; anything else is one sentence."""
    kept.keep(state, run_id="20261201-090000-000001")
    kept.keep(state)
    code = main(["rehearse", "--show", beginning])
    assert code == (2 if sentence else 0)
    if sentence:
        assert sentence in capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"interpreter": 3}', '{"codes": 7, "reason": ""}'])
def test_a_damaged_outcome_is_one_sentence(state: Path, capsys: Capture, content: str) -> None:
    """Never a traceback."""
    (kept.keep(state) / "rehearsal.json").write_text(content)
    assert main(["rehearse", "--show", kept.RUN_ID]) in (1, 2)
    assert "bug" not in capsys.readouterr().err


def test_two_rehearsals_are_compared(state: Path, capsys: Capture) -> None:
    """What differs is named, and nothing else; a rehearsal does not differ from itself."""
    kept.keep(state)
    other = "20261201-110000-000002"
    lines = [line for line in kept.INDEX if line.get("index") != 2]
    kept.keep(state, *lines, output="[0 err] WARNING: new\n", run_id=other, codes=[1])
    assert main(["rehearse", "--compare", kept.RUN_ID, other]) == 0
    shown = capsys.readouterr().out
    assert "ended: end → failed" in shown
    assert "programs compiled late: 1 → 0" in shown
    assert "warning: – → new" in shown
    assert "finding: donated-buffers-not-usable → –" in shown
    assert "peak" not in shown
    assert main(["rehearse", "--compare", other, other]) == 0
    assert "nothing differs" in capsys.readouterr().out


def test_a_program_of_a_rehearsal_is_extracted_by_its_id(state: Path, capsys: Capture) -> None:
    """``tpuguru extract`` knows the rehearsals as it knows the runs."""
    kept.keep(state)
    assert main(["extract", kept.RUN_ID]) == 0
    assert capsys.readouterr().out.startswith("jit_step: 4 partitions")


def test_rehearsals_are_among_the_runs(state: Path, capsys: Capture) -> None:
    """They are listed, in both formats, and removed by their id."""
    kept.keep(state)
    assert main(["runs"]) == 0
    assert capsys.readouterr().out.split() == [
        kept.RUN_ID,
        "2026-12-01",
        "10:00",
        "rehearsal",
        "ended",
        "v6e-4",
    ]
    assert main(["runs", "--output-format", "json"]) == 0
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["run_id"], listed["command"]) == (kept.RUN_ID, ["python", "train.py"])
    assert main(["runs", "remove", "20261201-10"]) == 0
    assert main(["runs", "remove", kept.RUN_ID]) == 2
    assert "there is no rehearsal" in capsys.readouterr().err


def test_the_step_has_products(state: Path, capsys: Capture) -> None:
    """A small model's weights take more FLOPs of random numbers than its step; the step is the step all the same."""
    lines = [
        kept.client(),
        kept.program(1, "jit_init", flops=1e12, products=False),
        kept.first(1, 100.6),
        kept.program(0, "jit_step", flops=1e6, products=True),
        kept.first(0, 102.0, "s32[16]", "f32[64,128]", "f32[64,128]"),
        kept.counts(executions={"0": 5, "1": 7}),
    ]
    kept.keep(state, *lines)
    assert report(capsys)["step"]["program"] == "jit_step"


def test_an_error_is_said_once(state: Path, capsys: Capture) -> None:
    """The framework's exception holds the same sentence as the recorded error: the first screen has it once."""
    sentence = "Out of device memory: program jit_step needs 2.00 GiB"
    error = {"event": "error", "time": 104.0, "pid": 10, "where": "jit_step"}
    error |= {"message": f"{sentence}\n  1.00 GiB  f32[8]", "python": "/home/me/job/train.py:50"}
    output = (
        "[0 err] Traceback (most recent call last):\n"
        '[0 err]   File "/home/me/job/train.py", line 50, in <module>\n'
        f"[0 err] ValueError: RESOURCE_EXHAUSTED: {sentence}\n"
    )
    kept.keep(state, *kept.INDEX, error, output=output, codes=[1])
    assert text(capsys).split("slice:")[0].count(sentence) == 1


def test_a_failed_run_does_not_blame_the_platform(state: Path, capsys: Capture) -> None:
    """A program that failed before it asked for a TPU is not told to look at JAX_PLATFORMS."""
    folder = kept.keep(state, output="[0 err] can't open file\n", codes=[2])
    (folder / "records" / "index.jsonl").write_text("")
    shown = text(capsys)
    assert "never asked for one" in shown
    assert "JAX_PLATFORMS" not in shown


def test_a_step_for_two_shardings_is_one_step(state: Path, capsys: Capture) -> None:
    """The optimiser's state comes back sharded, so JAX compiles the step anew: six steps, and one compile too many."""
    step = moved_step(executions=6)
    lines = [
        kept.client(),
        kept.program(1, "jit_step", time=101.0, flops=1.1e6, products=True),
        kept.first(1, 102.0, "s32[16]", "f32[64,128]"),
        kept.program(0, "jit_step", time=103.0, flops=1e6, products=True),
        kept.first(0, 104.0, "s32[16]", "f32[16,128]"),
        kept.counts(executions={"0": 5, "1": 1}, step=step),
    ]
    kept.keep(state, *lines)
    found = report(capsys)
    assert (found["step"]["runs"], found["step"]["reads"]) == (5, 2)
    assert [each["change"] for each in found["late_compiles"]] == ["argument 1: f32[64,128] → f32[16,128]"]
    assert "5 times on each device, and 1 more as compiled for other arguments" in text(capsys)


def moved_step(executions: int) -> dict[str, Any]:
    """Two reads in each step after the first."""
    none, both = kept.moved(0, 0), kept.moved(2 * (executions - 1), 8 * (executions - 1))
    first, last = {"to_device": none, "to_host": none}, {"to_device": none, "to_host": both}
    return {"index": 1, "executions": executions, "second": 105.0, "first": first, "last": last}

"""A kept rehearsal as its folder holds it: four devices of one process, a step that ran five times."""

import json
import shutil
from pathlib import Path
from typing import Any

STEP = Path(__file__).parents[2] / "artifacts" / "fixtures" / "step"
RUN_ID = "20261201-100000-abc123"

MEMORY = {"argument": 98304, "output": 65536, "alias": 32768, "temp": 4096, "peak": 200000, "code": 1000}


def moved(count: int, size: int) -> dict[str, int]:
    return {"count": count, "bytes": size}


def client(process: int = 0, devices: tuple[int, ...] = (0, 1, 2, 3), of: int = 4) -> dict[str, Any]:
    return {
        "event": "client",
        "time": 100.0 + process,
        "pid": 10 + process,
        "topology": "v6e:2x2",
        "slices": 1,
        "process": process,
        "platform_version": "x",
        "api_version": "0.117",
        "bytes_limit": 33546041344,
        "devices": [
            {"id": device, "kind": "TPU v6 lite", "addressable": device in devices} for device in range(of)
        ],
    }


def program(index: int, name: str, **changed: object) -> dict[str, Any]:
    return {
        "event": "program",
        "time": 101.0 + index,
        "pid": 10,
        "program": f"{index:032x}",
        "index": index,
        "name": name,
        "caller": "libjax_common.so",
        "python": f"/home/me/job/train.py:{40 + index}",
        "seconds": 2.0,
        "cached": False,
        "num_partitions": 4,
        "devices": [0, 1, 2, 3],
        "memory": MEMORY,
        "flops": 1e9 if index == 0 else 1e3,
        "donated": [1] if index == 0 else [],
    } | changed


def first(index: int, time: float, *arguments: str) -> dict[str, Any]:
    python = f"/home/me/job/train.py:{50 + index}"
    return {
        "event": "first_execution",
        "time": time,
        "pid": 10,
        "index": index,
        "arguments": list(arguments),
        "python": python,
    }


def sample(time: float, device: int, during: int) -> dict[str, Any]:
    return {
        "event": "memory",
        "time": time,
        "pid": 10,
        "device": device,
        "live": during // 2,
        "during": during,
        "code": 1000,
        "host": 0,
        "index": 0,
    }


def counts(**changed: object) -> dict[str, Any]:
    return {
        "event": "counts",
        "time": 120.0,
        "pid": 10,
        "executions": {"0": 5, "1": 1},
        "to_device": moved(12, 4096),
        "to_host": moved(22, 88),
        "last": 0,
        "python": "/home/me/job/train.py:61",
        "reads": [{"python": "/home/me/job/train.py:61", "count": 20, "bytes": 80}],
        "step": {
            "index": 0,
            "second": 105.0,
            "first": {"to_device": moved(4, 2048), "to_host": moved(0, 0)},
            "last": {"to_device": moved(8, 3072), "to_host": moved(20, 80)},
        },
    } | changed


PEAK = {
    "event": "peak",
    "time": 104.0,
    "pid": 10,
    "device": 1,
    "live": 100000,
    "during": 200000,
    "code": 1000,
    "index": 0,
    "arrays": [
        {"type": "f32[64,128]", "count": 2, "bytes": 65536, "maker": "jit_init", "program": 1},
        {"type": "s32[16]", "count": 1, "bytes": 512, "maker": "the host", "program": -1},
    ],
}

INDEX = (
    client(),
    program(1, "jit_init", time=100.5),
    first(1, 100.6),
    program(0, "jit_step", time=101.0),
    first(0, 102.0, "s32[16]", "f32[64,128]", "f32[64,128]"),
    PEAK,
    *(sample(102.0 + step, device, 100000 + 20000 * step) for step in range(5) for device in range(4)),
    program(2, "jit_step", time=110.0, flops=9e8),
    first(2, 111.0, "s32[12]", "f32[64,128]", "f32[64,128]"),
    counts(executions={"0": 5, "1": 1, "2": 1}),
    *(
        {
            "event": "device",
            "time": 121.0,
            "pid": 10,
            "device": device,
            "live": 0,
            "peak": 180000,
            "code": 0,
            "host_peak": 0,
            "limit": 33546041344,
        }
        for device in range(4)
    ),
    {"event": "exit", "time": 121.0, "pid": 10},
)

OUTPUT = """\
[0 err] /home/me/job/train.py:12: UserWarning: Some donated buffers were not usable: ShapedArray(float32[64,128]).
[0 err] W1201 10:00:01.5 99 data.cc:7] slow loader: 12 ms
[0 err] W1201 10:00:02.5 99 data.cc:7] slow loader: 31 ms
[0 out] step 1, loss 0.5
"""


def keep(
    state: Path,
    *lines: dict[str, Any],
    output: str = OUTPUT,
    run_id: str = RUN_ID,
    **changed: object,
) -> Path:
    """Write a rehearsal under ``state``; its step is the hand-written program of the artifact tests."""
    folder = state / "tpuguru" / "rehearsals" / run_id
    records = folder / "records"
    write_program(records / "programs" / f"{0:032x}")
    (records / "index.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines or INDEX))
    (folder / "output.log").write_text(output)
    job = {"command": ["python", "train.py"], "slice": "v6e-4", "versions": {"jax": "0.12"}, "ranks": [{}]}
    (folder / "job.json").write_text(json.dumps(job))
    interpreter = {"python": "/usr/bin/python", "versions": {"jax": "0.12"}}
    ended = {"interpreter": interpreter, "ranks": 1, "codes": [0], "reason": "", "seconds": 21.0} | changed
    (folder / "rehearsal.json").write_text(json.dumps(ended))
    return folder


def write_program(folder: Path) -> None:
    """Write the records of the step: texts and facts."""
    folder.mkdir(parents=True)
    [hlo] = STEP.glob("*.after_optimizations.txt")
    shutil.copy(hlo, folder / "optimized_hlo.txt")
    [stablehlo] = STEP.glob("*/module.mlir")
    shutil.copy(stablehlo, folder / "program.mlir")
    output = {"type": "f32", "dims": [64, 128], "layout": "", "memory": "device"}
    facts = {"name": "jit_step", "num_partitions": 4, "memory": MEMORY, "outputs": [output, output]}
    (folder / "facts.json").write_text(json.dumps(facts))

"""A worker with no framework in it: what it does is written in the overrides of the job."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Protocol

type Request = dict[str, Any]

HELD: dict[str, Any] = {}


class Channel(Protocol):
    """What a worker gets to say events with."""

    def emit(self, event: str, **data: object) -> None:
        """Say an event."""


def settings(request: Request) -> dict[str, str]:
    """Return the words as a mapping, without what is left out."""
    words = dict(word.split("=", 1) for word in request["overrides"])
    return {key: value for key, value in words.items() if key not in request.get("omit", ())}


def load(channel: Channel, request: Request) -> Request:
    """Import nothing."""
    return {"versions": {"toy": "1.0"}}


def resolve(channel: Channel, request: Request) -> Request:
    """Resolve to the defaults and what was written; the key «wrong» is refused."""
    written = settings(request)
    if "wrong" in written:
        raise ValueError(f"'wrong' is not a key. HF_TOKEN=hf_{'s' * 20}")
    config = {"width": "1", "run_name": str(time.time()), **written}
    return {"config": config, "groups": dict.fromkeys(config, "Model"), "stated": sorted(written)}


def lower(channel: Channel, request: Request) -> Request:
    """Lower to a program that is the settings themselves."""
    written = settings(request)
    print("lowering", file=sys.stderr)
    print("printed api_key=sk-abcdefgh12345678")
    program = {key: value for key, value in written.items() if not key.startswith("unused")}
    text = json.dumps(program, sort_keys=True)
    result = {
        "stablehlo_sha256": str(hash(text)),
        "beside_sha256": "",
        "mesh": {"data": 4},
        "phases": {"trace": 0.1},
    }
    if folder := request.get("write"):
        Path(folder).mkdir(parents=True)
        (Path(folder) / "train_step.stablehlo.mlir").write_text(text)
        channel.emit("lowered", **result)
    HELD["settings"] = written
    return result


def compile_step(channel: Channel, request: Request) -> Request:
    """Compile: sleep, abort, exit, fill memory or disk, refuse or succeed, as the settings say."""
    written = HELD["settings"]
    channel.emit("compiling")
    time.sleep(float(written.get("sleep", 0)))
    if "abort" in written:
        print("F1201 compiler.cc:1] Check failed: it is not so", file=sys.stderr, flush=True)
        os.abort()
    if "exit_with" in written:
        print(written["exit_with"].replace("_", " "), file=sys.stderr, flush=True)
        os._exit(1)
    if "allocate_mib" in written:
        HELD["memory"] = bytearray(int(written["allocate_mib"]) * 2**20)
        time.sleep(60)
    if "write_mib" in written:
        Path("big").write_bytes(bytes(int(written["write_mib"]) * 2**20))
        time.sleep(60)
    if "error" in written:
        raise RuntimeError(written["error"].replace("_", " "))
    dump = Path(str(request["options"].get("xla_dump_to", "dump")))
    if "no_dump" not in written:
        dump.mkdir(parents=True)
        (dump / "module_0000.after_optimizations.txt").write_text("HloModule toy")
    memory = {"argument_size": 10, "temp_size": 5, "output_size": 10, "alias_size": 9, "peak_memory": 99}
    return {
        "memory": memory,
        "cost": {"flops": 1.0},
        "seconds": 0.1,
        "optimized_sha256": "0f",
        "optimized_bytes": 1,
    }


OPERATIONS = {"load": load, "resolve": resolve, "lower": lower, "compile": compile_step}

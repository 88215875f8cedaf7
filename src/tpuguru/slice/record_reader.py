"""Read what the plugin recorded. A last line that was written only in part is passed over."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.slice.record_parts import peak_of, place_of, reads_of, step_of, transfers_of
from tpuguru.slice.records import (
    ClientRecord,
    CompileRecord,
    DeviceUse,
    ErrorRecord,
    MemorySample,
    ProgramRecord,
    Records,
    UnknownRead,
)

_LONGEST_LINE = 10_000_000


def read_records(folder: Path) -> Records:
    """Read a folder. NothingToCheckError when nothing was recorded, UsageError when it is damaged."""
    index = folder / "index.jsonl"
    if not index.is_file():
        raise NothingToCheckError(
            f"{folder} holds no records of a virtual slice", help="was a TPU ever asked for?"
        )
    records = Records(folder)
    try:
        for line in index_lines(index):
            _add(records, line)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{index} is damaged: {error}") from error
    records.errors.extend(_unfinished(records))
    return records


def _unfinished(records: Records) -> Iterator[ErrorRecord]:
    """Yield an error for each process that ended, or was ended, while the compiler was at work."""
    for each in records.compiles.values():
        if each.seconds is None:
            message = "the process ended while the TPU compiler was at work; its last words are in the output"
            yield ErrorRecord(each.time, each.pid, "compile", each.folder, message, each.python)


def index_lines(index: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of an index. ValueError for a whole line that is none."""
    with index.open("rb") as file:
        for raw in file:
            if not raw.endswith(b"\n") or len(raw) > _LONGEST_LINE:
                continue
            line = json.loads(raw)
            if isinstance(line, dict):
                yield line


def _add(records: Records, line: dict[str, Any]) -> None:
    reader = _READERS.get(str(line["event"]))
    if reader is not None:
        reader(records, line)


def _client(records: Records, line: dict[str, Any]) -> None:
    devices = line["devices"]
    records.clients.append(
        ClientRecord(
            time=line["time"],
            pid=line["pid"],
            topology=line["topology"],
            slices=line["slices"],
            process=line["process"],
            devices=tuple(each["id"] for each in devices if each["addressable"]),
            device_kind=devices[0]["kind"],
            all_devices=len(devices),
            limit=line["bytes_limit"],
            platform_version=line["platform_version"],
            api_version=line["api_version"],
        )
    )


def _program(records: Records, line: dict[str, Any]) -> None:
    records.programs.append(
        ProgramRecord(
            time=line["time"],
            pid=line["pid"],
            index=line["index"],
            folder=line["program"],
            name=line["name"],
            caller=line["caller"],
            python=line["python"],
            seconds=line["seconds"],
            cached=line["cached"],
            partitions=line["num_partitions"],
            devices=tuple(line["devices"]),
            memory=dict(line["memory"]),
            flops=line["flops"] or 0.0,
            donated=tuple(line["donated"]),
            products=line.get("products", False),
        )
    )


def _compiling(records: Records, line: dict[str, Any]) -> None:
    key = (line["pid"], line["program"])
    records.compiles[key] = CompileRecord(line["time"], *key, line["python"])


def _compiled(records: Records, line: dict[str, Any]) -> None:
    key = (line["pid"], line["program"])
    if key in records.compiles:
        records.compiles[key] = replace(records.compiles[key], seconds=float(line["seconds"]))


def _first_execution(records: Records, line: dict[str, Any]) -> None:
    key = (line["pid"], line["index"])
    records.arguments[key] = tuple(line["arguments"])
    records.first_executed[key] = line["time"]
    records.first_lines[key] = line.get("python", "")


def _counts(records: Records, line: dict[str, Any]) -> None:
    for index, count in line["executions"].items():
        records.executions[(line["pid"], int(index))] = count
    for number, count in line.get("unknown", {}).items():
        if (line["pid"], int(number)) in records.unknown:
            records.unknown[line["pid"], int(number)].count = count
    records.transfers[line["pid"]] = transfers_of(line)
    records.places[line["pid"]] = place_of(line)
    records.reads[line["pid"]] = reads_of(line)
    step = step_of(line)
    if step is not None:
        records.steps[line["pid"]] = step


def _peak(records: Records, line: dict[str, Any]) -> None:
    records.peaks[line["pid"]] = peak_of(line)


def _memory(records: Records, line: dict[str, Any]) -> None:
    records.memory.append(
        MemorySample(
            line["time"],
            line["pid"],
            line["device"],
            line["live"],
            line["during"],
            line["code"],
            line["index"],
        )
    )


def _device(records: Records, line: dict[str, Any]) -> None:
    records.devices[line["device"]] = DeviceUse(
        line["pid"],
        line["device"],
        line["live"],
        line["peak"],
        line["code"],
        line["host_peak"],
        line["limit"],
    )


def _unknown_read(records: Records, line: dict[str, Any]) -> None:
    number = line.get("index", len(records.unknown))
    records.unknown[line["pid"], number] = UnknownRead(
        line["pid"],
        line["array"],
        line["maker"],
        line["python"],
        line["reason"],
        line.get("use", ""),
        line.get("told", ""),
    )


def _unknown_told(records: Records, line: dict[str, Any]) -> None:
    read = records.unknown[line["pid"], line["index"]]
    read.ended, read.count = line["told"], max(read.count, line["count"])
    read.in_loop = max(read.in_loop, line["in_loop"])


def _error(records: Records, line: dict[str, Any]) -> None:
    if line["where"] == "steps":  # how the plugin ends a run after the wanted steps
        records.steps_done = True
        return
    records.errors.append(
        ErrorRecord(line["time"], line["pid"], "run", line["where"], line["message"], line.get("python", ""))
    )


def _compile_failed(records: Records, line: dict[str, Any]) -> None:
    _compiled(records, line)
    records.errors.append(
        ErrorRecord(line["time"], line["pid"], "compile", line["program"], line["message"], line["python"])
    )


def _exit(records: Records, line: dict[str, Any]) -> None:
    records.exits.add(line["pid"])


_READERS: dict[str, Callable[[Records, dict[str, Any]], None]] = {
    "client": _client,
    "program": _program,
    "compiling": _compiling,
    "compiled": _compiled,
    "first_execution": _first_execution,
    "counts": _counts,
    "memory": _memory,
    "peak": _peak,
    "device": _device,
    "unknown_read": _unknown_read,
    "unknown_told": _unknown_told,
    "error": _error,
    "compile_failed": _compile_failed,
    "exit": _exit,
}

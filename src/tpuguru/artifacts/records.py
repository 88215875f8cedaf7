"""What a stored run or a virtual slice wrote beside the artifacts: statistics, flags, mesh, seconds."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tpuguru.artifacts.files import Artifacts
from tpuguru.artifacts.outcome import memory_stats_in
from tpuguru.artifacts.request import ExtractRequest, MeshAxis

# record.json's and facts.json's names for what CompiledMemoryStats calls …_size_in_bytes.
_STATISTICS = {
    "argument": "argument",
    "arg": "argument",
    "output": "output",
    "temporary": "temp",
    "temp": "temp",
    "alias": "alias",
    "generated_code": "generated_code",
    "code": "generated_code",
    "host_argument": "host_argument",
    "host_output": "host_output",
    "host_temporary": "host_temp",
    "host_temp": "host_temp",
}
_LARGEST = 64 * 2**20


def completed(request: ExtractRequest, artifacts: Artifacts) -> ExtractRequest:
    """Fill in what the caller did not give from the files; what the caller gave wins."""
    record = read_json(artifacts.path("run-record"))
    facts = read_json(artifacts.path("slice-facts"))
    job = read_json(artifacts.path("run-job"))
    # A stored run knows how it ended; its log also holds what libraries complain about while they start.
    log = request.log or (None if record else artifacts.path("log"))
    statistics = request.memory_stats or _statistics(record.get("memory")) or _statistics(facts.get("memory"))
    return replace(
        request,
        mesh=request.mesh or _mesh(record.get("mesh")),
        slices=request.slices if request.slices != 1 else _integer(record.get("slices"), 1),
        partitions=request.partitions or _integer(facts.get("num_partitions"), 0) or None,
        requested_flags=request.requested_flags or _flags(job.get("flags")),
        memory_stats=statistics or memory_stats_in(log) or None,
        compile_seconds=request.compile_seconds or _seconds(record, facts),
        stablehlo=request.stablehlo or artifacts.path("stablehlo"),
        log=log,
        compiler_message=request.compiler_message or _message(record.get("failure")),
    )


def _message(failure: object) -> str:
    """Return a failed run's message with the compiler's code in front; ``""`` when it did not fail."""
    if not isinstance(failure, Mapping):
        return ""
    code, message = str(failure.get("code") or ""), str(failure.get("message") or "")
    return f"{code}: {message}" if code and code not in message else message


def read_json(path: Path | None) -> dict[str, object]:
    """Return a JSON object from a file; empty when there is none or it is not a JSON object."""
    if path is None or not path.is_file() or path.stat().st_size > _LARGEST:
        return {}
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _statistics(memory: object) -> dict[str, int]:
    if not isinstance(memory, Mapping):
        return {}
    found: dict[str, int] = {}
    for name, value in memory.items():
        plain = str(name).removesuffix("_bytes").removesuffix("_size_in_bytes").removesuffix("_size")
        if plain in _STATISTICS and isinstance(value, int):
            found[f"{_STATISTICS[plain]}_size_in_bytes"] = value
    return found


def _mesh(value: object) -> tuple[MeshAxis, ...]:
    if not isinstance(value, Mapping):
        return ()
    return tuple(MeshAxis(str(name), size) for name, size in value.items() if isinstance(size, int))


def _flags(value: object) -> dict[str, str]:
    """Return flags by name from a job's words; the process's own first, so that compile options win."""
    if not isinstance(value, Mapping):
        return {}
    found: dict[str, str] = {}
    for words in value.values():
        for word in words if isinstance(words, list) else ():
            if isinstance(word, str):
                name, _, text = word.lstrip("-").partition("=")
                found[name] = text or "true"
    return found


def _seconds(record: Mapping[str, object], facts: Mapping[str, object]) -> dict[str, float]:
    phases = record.get("phases")
    if isinstance(phases, list):
        return {
            str(phase.get("name")): float(phase.get("seconds", 0.0))
            for phase in phases
            if isinstance(phase, dict)
        }
    seconds = facts.get("compile_seconds", facts.get("seconds"))
    return {"compile": float(seconds)} if isinstance(seconds, int | float) else {}


def _integer(value: object, default: int) -> int:
    return value if isinstance(value, int) and value > 0 else default

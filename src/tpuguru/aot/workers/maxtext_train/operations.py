"""What the supervisor can ask for."""

import json
import time
from pathlib import Path
from typing import Any

from worker_kit.channel import Channel
from worker_kit.failure import phase
from worker_kit.program import sha256

from maxtext_train import configuration, train_step
from maxtext_train.framework import framework, versions

_last: list[train_step.LoweredStep] = []


def load(channel: Channel, request: dict) -> dict:  # noqa: ARG001 - every operation has this signature
    """Import the framework."""
    with phase("import"):
        framework()
    return {"versions": versions()}


def resolve(channel: Channel, request: dict) -> dict:  # noqa: ARG001
    """Resolve the configuration only."""
    config = configuration.resolve_configuration(request)
    return {
        "config": configuration.as_json(config),
        "groups": configuration.groups(config),
        "choices": configuration.choices(config),
        "stated": configuration.stated(config),
    }


def lower(channel: Channel, request: dict) -> dict:
    """Resolve and lower; with ``write`` (a folder) the program is stored and kept for ``compile``."""
    if request.get("fresh"):  # nothing that an earlier trace left behind may answer for this one
        framework().jax.clear_caches()
    config = configuration.resolve_configuration(request)
    step = train_step.build(config)
    identity = step.identity()
    text = identity.pop("text")
    result = {**identity, "mesh": step.mesh, "phases": step.seconds}
    if folder := request.get("write"):
        _last[:] = [step]
        _store(Path(folder), step, text, with_locations=request.get("locations", False))
        channel.emit("lowered", **result)
    return result


def _store(folder: Path, step: train_step.LoweredStep, text: str, *, with_locations: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train_step.stablehlo.mlir").write_text(text, encoding="utf-8")
    (folder / "mesh.json").write_text(
        json.dumps({"axes": step.mesh, "devices": step.devices}), encoding="utf-8"
    )
    if with_locations:
        located = step.lowered.as_text(debug_info=True)
        (folder / "train_step.debug.mlir").write_text(located, encoding="utf-8")


def compile_step(channel: Channel, request: dict) -> dict:
    """Compile what ``lower`` kept. ``options`` are compiler options beyond the configuration's own."""
    step = _last[0]
    with phase("compile"):
        own = framework().max_utils.parse_libtpu_flags_to_dict(getattr(step.config, "compile_xla_flags", ""))
        channel.emit("compiling")
        started = time.monotonic()
        compiled = step.lowered.compile(compiler_options={**own, **request["options"]})
        seconds = round(time.monotonic() - started, 3)
    result = {"memory": _memory(compiled), "cost": _cost(compiled), "seconds": seconds}
    channel.emit("compiled", **result)
    text = compiled.as_text() or ""
    folder = Path(request["write"])
    (folder / "train_step.optimized.hlo.txt").write_text(text, encoding="utf-8")
    (folder / "analysis.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    return {**result, "optimized_sha256": sha256(text), "optimized_bytes": len(text.encode())}


def _memory(compiled: Any) -> dict[str, int]:
    """Return every figure of the compiler's memory statistics, in bytes per device."""
    statistics = compiled.memory_analysis()
    names = [name for name in dir(statistics) if name.endswith("_in_bytes")]
    return {name.removesuffix("_in_bytes"): int(getattr(statistics, name)) for name in names}


def _cost(compiled: Any) -> dict[str, float]:
    """Return the compiler's cost analysis; per-operand entries are left out."""
    costs = compiled.cost_analysis() or {}
    return {key: float(value) for key, value in costs.items() if "{" not in key}

"""Do a job's steps with a worker, in an attempt's folder, and write down what came out."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tpuguru.aot.events import Event, OnEvent
from tpuguru.aot.identity import target_data
from tpuguru.aot.job import AotJob, Step
from tpuguru.aot.record import MemoryAnalysis, Phase
from tpuguru.aot.session import WorkerSession


@dataclass
class Progress:
    """What is known so far about a run; it is kept when a later phase fails."""

    versions: Mapping[str, str] = field(default_factory=dict)
    phases: list[Phase] = field(default_factory=list)
    stablehlo_sha256: str = ""
    optimized_sha256: str = ""
    mesh: Mapping[str, int] = field(default_factory=dict)
    host_offload_annotations: int = 0
    memory: MemoryAnalysis | None = None
    cost: Mapping[str, float] = field(default_factory=dict)


def launch_fields(job: AotJob) -> dict[str, object]:
    """Return the job's launch as a worker's request holds it."""
    return {
        "topology": target_data(job.target),
        "config_name": job.config_name,
        "config_text": job.config_text,
        "overrides": [f"{key}={value}" for key, value in job.overrides],
    }


def load(session: WorkerSession, progress: Progress, on_event: OnEvent) -> None:
    """Import the framework in the worker."""
    done = session.ask("load")
    progress.versions = _texts(_result(done).get("versions"))
    _note(progress, "load", done)
    on_event(Event("loaded", data={"seconds": done.get("seconds")}))


def resolve(session: WorkerSession, job: AotJob, progress: Progress) -> Mapping[str, object]:
    """Resolve the configuration: ``config``, ``groups``, ``stated``."""
    done = session.ask("resolve", **launch_fields(job))
    _note(progress, "resolve", done)
    return _result(done)


def lower_and_compile(
    session: WorkerSession, job: AotJob, folder: Path, progress: Progress, before_compile: Callable[[], None]
) -> None:
    """Lower, and compile when the job wants it; the files go to ``folder``."""
    program = folder / "program"
    done = session.ask("lower", **launch_fields(job), write=str(program), locations=job.dump.locations)
    _take_lowered(progress, done)
    if job.until is Step.COMPILE:
        before_compile()
        done = session.ask("compile", write=str(program), options=compile_options(job, folder))
        _take_compiled(progress, done)


def compile_options(job: AotJob, folder: Path) -> dict[str, object]:
    """Return the compiler options that make it write what the job wants kept.

    They do not change the program.
    """
    if not job.dump.hlo:
        return {}
    dump = str(folder / "dump")
    return {"xla_dump_to": dump, "xla_dump_hlo_as_text": True, "xla_dump_hlo_as_proto": True}


def write_resolution(folder: Path, resolution: Mapping[str, object]) -> None:
    """Keep the resolved configuration."""
    (folder / "config").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "resolved.json").write_text(json.dumps(resolution, indent=1), encoding="utf-8")


def _take_lowered(progress: Progress, done: Mapping[str, object]) -> None:
    result = _result(done)
    for name, seconds in _numbers(result.get("phases")).items():
        progress.phases.append(Phase(name, seconds))
    _note(progress, "lower-total", done)
    progress.stablehlo_sha256 = str(result["stablehlo_sha256"])
    progress.mesh = {name: int(size) for name, size in _numbers(result.get("mesh")).items()}
    progress.host_offload_annotations = int(str(result.get("host_offload_annotations", 0)))


def _take_compiled(progress: Progress, done: Mapping[str, object]) -> None:
    result = _result(done)
    _note(progress, "compile", done)
    progress.memory = _memory(_numbers(result.get("memory")))
    progress.cost = _numbers(result.get("cost"))
    progress.optimized_sha256 = str(result["optimized_sha256"])


def _memory(figures: Mapping[str, float]) -> MemoryAnalysis:
    def figure(name: str) -> int:
        return int(figures.get(name, 0))

    return MemoryAnalysis(
        argument=figure("argument_size"),
        output=figure("output_size"),
        temporary=figure("temp_size"),
        alias=figure("alias_size"),
        generated_code=figure("generated_code_size"),
        host_argument=figure("host_argument_size"),
        host_output=figure("host_output_size"),
        host_temporary=figure("host_temp_size"),
        host_alias=figure("host_alias_size"),
        host_generated_code=figure("host_generated_code_size"),
        peak=figure("peak_memory"),
    )


def _note(progress: Progress, name: str, done: Mapping[str, object]) -> None:
    numbers = _numbers(done)
    progress.phases.append(Phase(name, numbers.get("seconds", 0.0), numbers.get("cpu_seconds", 0.0)))


def _result(done: Mapping[str, object]) -> Mapping[str, object]:
    result = done.get("result")
    return result if isinstance(result, Mapping) else {}


def _texts(value: object) -> dict[str, str]:
    return {str(key): str(item) for key, item in value.items()} if isinstance(value, Mapping) else {}


def _numbers(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        return {}
    return {
        str(key): item
        for key, item in value.items()
        if isinstance(item, int | float) and not isinstance(item, bool)
    }

"""MaxText's own train_compile, run bare in the toolchain's interpreter: what a check is measured against."""

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tpuguru.aot.job import AotJob


@dataclass(frozen=True, slots=True)
class BareRun:
    """What train_compile printed and cost. ``memory`` maps CompiledMemoryStats names to bytes per device."""

    memory: dict[str, int]
    seconds: float
    cpu_seconds: float
    output: str


def bare_train_compile(python: Path, job: AotJob, folder: Path, *, timeout: float = 1800.0) -> BareRun:
    """Run ``python -m maxtext.trainers.pre_train.train_compile`` with the job's words and flags."""
    words = [f"{key}={text}" for key, text in job.overrides]
    command = [
        str(python),
        "-m",
        "maxtext.trainers.pre_train.train_compile",
        f"src/maxtext/configs/{Path(job.config_name).name}",
        *words,
        f"compile_topology={job.target.topology}",
        f"compile_topology_num_slices={job.target.slices}",
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TPU_SKIP_MDS_QUERY": "1",
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        "LIBTPU_INIT_ARGS": " ".join(job.flags.libtpu_init_args),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=timeout
    )
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    output = done.stdout + done.stderr
    return BareRun(memory_printed(output), seconds, cpu, output)


def memory_printed(output: str) -> dict[str, int]:
    """Return the figures of the line «Memory analysis: CompiledMemoryStats(…)»."""
    line = next((line for line in output.splitlines() if "Memory analysis:" in line), "")
    return {name: int(value) for name, value in re.findall(r"(\w+_in_bytes)=(\d+)", line)}

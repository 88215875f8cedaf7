"""What our compile path costs beyond MaxText's own train_compile, in the same environment.

    python benchmarks/aot.py [--model qwen3-0.6b] [--batch 4] [--length 2048] [--topology v6e-4] [--set KEY=VALUE]…

Prints wall and CPU seconds of both, the difference, and whether their figures agree; needs the MaxText toolchain.
The order alternates, and the smallest of the repetitions counts, because other work on the machine only adds.
"""

import argparse
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tpuguru.aot import runs
from tpuguru.aot.job import AotJob, Dump, Target
from tpuguru.aot.toolchains import find_toolchain

KEY = "maxtext==0.2.5"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen3-0.6b")
    parser.add_argument("--batch", default="4")
    parser.add_argument("--length", default="2048")
    parser.add_argument("--topology", default="v6e-4")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="further settings")
    arguments = parser.parse_args()
    job = AotJob(
        KEY,
        Target(arguments.topology),
        (
            ("model_name", arguments.model),
            ("per_device_batch_size", arguments.batch),
            ("max_target_length", arguments.length),
            ("attention", "flash"),
            ("enable_checkpointing", "False"),
            *((key, value) for key, _, value in (word.partition("=") for word in arguments.set)),
        ),
        dump=Dump(),
    )
    with tempfile.TemporaryDirectory() as folder:
        compare(job, Path(folder), arguments.repeat)


def compare(job: AotJob, folder: Path, repeat: int) -> None:
    """Run both by turns."""
    ours, bare = [], []
    figures: dict[str, int] = {}
    for turn in range(repeat):
        os.environ["XDG_STATE_HOME"] = str(folder / f"state{turn}")
        printed: list[str] = []
        bare.append(measure(lambda out=printed, n=turn: out.append(train_compile(job, folder / f"bare{n}"))))
        figures = {name: int(value) for name, value in re.findall(r"(\w+)_in_bytes=(\d+)", printed[0])}
        ours.append(measure(lambda: runs.run(job)))
    record = runs.run(job)
    again = measure(lambda: runs.run(job))
    wall, cpu = min(each[0] for each in ours), min(each[1] for each in ours)
    bare_wall, bare_cpu = min(each[0] for each in bare), min(each[1] for each in bare)
    assert record.memory is not None, record.failure
    print(f"bare train_compile  wall {bare_wall:7.1f} s  cpu {bare_cpu:7.1f} s")
    print(f"tpuguru run         wall {wall:7.1f} s  cpu {cpu:7.1f} s")
    print(
        f"overhead            wall {100 * (wall / bare_wall - 1):6.1f} %  cpu {100 * (cpu / bare_cpu - 1):6.1f} %"
    )
    print(f"the same run again  wall {again[0]:7.3f} s")
    print(f"temporaries: {record.memory.temporary} and bare {figures.get('temp_size')} bytes")


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU seconds (children included) of ``work``."""
    wall, cpu = time.monotonic(), cpu_seconds()
    work()
    return time.monotonic() - wall, cpu_seconds() - cpu


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def train_compile(job: AotJob, folder: Path) -> str:
    """Run MaxText's own tool, with the dumps that it writes by default, and return what it prints."""
    folder.mkdir()
    words = [f"{key}={value}" for key, value in job.overrides]
    target = [f"compile_topology={job.target.topology}", "compile_topology_num_slices=1"]
    module = "maxtext.trainers.pre_train.train_compile"
    python = find_toolchain(KEY).python
    done = subprocess.run(
        [
            *(python, "-m", module, "src/maxtext/configs/base.yml", *words, *target),
            f"dump_hlo_local_dir={folder}",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "JAX_PLATFORMS": "cpu",
            "TPU_SKIP_MDS_QUERY": "1",
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        },
    )
    return done.stdout


if __name__ == "__main__":
    main()

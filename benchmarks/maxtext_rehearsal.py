"""MaxText's real trainer on virtual slices: its own memory line, the compiler's and our accounting agree.

    python benchmarks/maxtext_rehearsal.py PYTHON_WITH_MAXTEXT [qwen3-0.6b llama3.1-8b …]

Each case runs ``maxtext.trainers.pre_train.train`` unmodified for three steps. Exits 1 when a figure differs.
The peaks are of MaxText 0.2.5 with jax 0.12.0.1 and libtpu 0.0.52; other versions compile other programs.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from rehearsals import Run, rehearse

GIB = 2**30
MODULE = "maxtext.trainers.pre_train.train"
ALWAYS = (
    "run_name=rehearsal",
    "dataset_type=synthetic",
    "steps=3",
    "per_device_batch_size=1",
    "ici_fsdp_parallelism=-1",
)
MEMORY_LINE = re.compile(r"Using \(GB\) ([\d.]+) / ([\d.]+) .* on TPU_(\d+)\(")
PEAK_TOLERANCE = 0.005
"""Of the reference peak: patch releases of the compiler move temporaries by less."""
BESIDE_ARGUMENTS = 4 * 2**20
"""What may be alive beside the step's arguments: the step before it's metrics, keys, the next batch."""


@dataclass(frozen=True)
class Case:
    """One launch, and the peak over the run that it had when it was first rehearsed."""

    slice: str
    arguments: tuple[str, ...]
    peak_gib: float | None = None
    options: tuple[str, ...] = ()


NO_CHECKPOINT = "enable_checkpointing=false"
CASES = {
    "qwen3-0.6b": Case(
        "v6e:2x2", ("model_name=qwen3-0.6b", "max_target_length=1024", NO_CHECKPOINT), peak_gib=2.801
    ),
    "llama3.1-8b": Case(
        "v6e:4x4",
        ("model_name=llama3.1-8b", "max_target_length=4096", "remat_policy=full", NO_CHECKPOINT),
        peak_gib=11.084,
    ),
    "llama3.1-70b": Case(
        "v6e:16x16",
        ("model_name=llama3.1-70b", "max_target_length=4096", "remat_policy=full", NO_CHECKPOINT),
        peak_gib=13.770,
    ),
}


def objections(run: Run, case: Case) -> Iterator[str]:
    """Yield what does not agree."""
    if run.code != 0:
        yield f"exit code {run.code}: {run.output[-800:]}"
    if "completed step: 2" not in run.output:
        yield "the third step was not completed"
    yield from _memory_line(run)
    yield from _arguments(run)
    if case.peak_gib and abs(run.peak / GIB / case.peak_gib - 1) > PEAK_TOLERANCE:
        yield f"peak is {run.peak / GIB:.3f} GiB, the reference is {case.peak_gib} GiB"


def _memory_line(run: Run) -> Iterator[str]:
    """MaxText prints memory_stats() of each device in GiB, once it has its state, before the first step."""
    told = {int(device): (used, limit) for used, limit, device in MEMORY_LINE.findall(run.output)}
    if len(told) != run.report["slice"]["devices"]:
        yield f"MaxText told of {len(told)} devices, there are {run.report['slice']['devices']}"
    state = run.main["arguments"] / GIB
    limits = {each["device"]: each["limit"] / GIB for each in run.report["devices"]}
    for device, (used, limit) in told.items():
        if abs(float(used) - state) > 0.01 or abs(float(limit) - limits[device]) > 0.01:
            yield (
                f"device {device}: MaxText says {used} / {limit} GiB; "
                f"the compiler {state:.2f}, the slice {limits[device]:.2f}"
            )


def _arguments(run: Run) -> Iterator[str]:
    """Before the last step each device holds the step's arguments by our accounting and nothing big beside."""
    for device in run.report["timeline"]["devices"]:
        names = run.report["timeline"]["programs"]
        before = [each["live"] for each in device["points"] if _name(names, each) == run.main["name"]]
        beside = before[-1] - run.main["arguments"] if before else -1
        if not 0 <= beside <= BESIDE_ARGUMENTS:
            yield f"device {device['device']}: {beside} bytes are alive beside the step's arguments"


def _name(names: list[str], point: dict[str, int | None]) -> str:
    program = point["program"]
    return "" if program is None else names[program]


def rehearse_case(python: str, case: Case) -> Run:
    """Run a case in an output folder of its own."""
    with tempfile.TemporaryDirectory(prefix="tpuguru-maxtext-") as folder:
        command = [python, "-m", MODULE, *ALWAYS, *case.arguments, f"base_output_directory={folder}"]
        return rehearse(case.slice, command, "--unknown", "zero", *case.options)


def main() -> int:
    """Run the wanted cases, or all."""
    python, *wanted = sys.argv[1:]
    differing = 0
    for name in wanted or CASES:
        run = rehearse_case(python, CASES[name])
        found = list(objections(run, CASES[name]))
        differing += bool(found)
        print(
            f"{name} on {CASES[name].slice}: arguments {run.main['arguments'] / GIB:.3f} GiB, "
            f"temporaries {run.main['temporaries'] / GIB:.3f}, peak {run.peak / GIB:.3f}; "
            f"{run.wall_seconds:.0f} s of which the compiler {run.compiler_seconds():.0f} s; "
            f"{'; '.join(found) or 'all agree'}",
            flush=True,
        )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Verdicts measured before with the same stack (MaxText 0.2.5, jax 0.12.0.1, libtpu 0.0.52), asked again.

    python benchmarks/reference_verdicts.py [NAME …]

Each row was once measured with MaxText's own train_compile; the figures are bytes per device as the compiler gave
them. Prints whether the run store's answer, or a new compile, agrees. One at a time; out of memory costs 10 CPU
seconds, a fit 70 to 270. Without names every row runs.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.aot.job import AotJob, CompilerFlags
from tpuguru.aot.record import RunRecord
from tpuguru.aot.runs import run
from tpuguru.base.units import GiB
from tpuguru.frameworks.compiling import compiling
from tpuguru.frameworks.registry import require_launches
from tpuguru.launch.reader import read_paste, read_paste_file

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "examples/maxtext/published"
START = "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml dataset_type=synthetic"
QWEN8B = f"{START} enable_checkpointing=False model_name=qwen3-8b max_target_length=2048"
OFFLOADED = (
    "remat_policy=custom decoder_layer_input=offload query_proj=offload key_proj=offload value_proj=offload "
    "out_proj=offload ici_fsdp_parallelism=-1 attention=flash use_iota_embed=True sa_use_fused_bwd_kernel=True "
    + " ".join(
        f"sa_block_{name}=2048"
        for name in ("q", "kv", "kv_compute", "q_dkv", "kv_dkv", "kv_dkv_compute", "q_dq", "kv_dq")
    )
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A measured row: a published script (an id) or words, and what came of it.

    ``figure`` is GiB per device: argument + temp + output - alias for a fit, what the error names for HBM; MiB of
    scoped VMEM for VMEM.
    """

    name: str
    launch: str
    outcome: str
    figure: float | None
    slice: str = ""
    flags: bool = True
    without: tuple[str, ...] = ()


ROWS = (
    Reference("l8b_v6e8", "a01", "hbm-oom", 32.92, flags=False),
    Reference("l8b_v6e8_cxf", "a01", "flag-rejected", None),
    Reference("mixtral_v6e256", "a08", "hbm-oom", 32.00, flags=False),
    Reference("q8b_v6e8_bs16_2k", f"{QWEN8B} per_device_batch_size=16", "hbm-oom", 39.25, "v6e-8"),
    Reference(
        "q8b_v6e8_2k_bs24", f"{QWEN8B} per_device_batch_size=24 {OFFLOADED}", "hbm-oom", 42.92, "v6e-8"
    ),
    Reference(
        "q8b_v6e8_2k_bs20", f"{QWEN8B} per_device_batch_size=20 {OFFLOADED}", "hbm-oom", 49.73, "v6e-8"
    ),
    Reference("l70b_tpu7x128", "a19", "vmem-oom", 45.54, flags=False),
    Reference("l70b_tpu7x128_f", "a19", "fits", 5.15 + 80.35),
    Reference("l70b_v6e32", "a03", "fits", 12.33 + 17.38, flags=False),
    Reference("mixtral_v5p128", "a14", "fits", 4.08 + 86.68, "v5p-128", flags=False),
    Reference("qwen235_tpu7x512", "a23", "fits", 5.14 + 75.19, without=("use_random_routing",)),
)


def job_of(row: Reference) -> AotJob:
    """Return the row's job."""
    side = compiling("maxtext")
    assert side is not None
    if row.launch.startswith("python3"):
        paste = read_paste(row.launch)
    else:
        paste = read_paste_file(str(next(PUBLISHED.glob(f"{row.launch}-*.sh"))))
    launch = require_launches(paste)[0]
    job = side.plan(launch, side.target(launch, row.slice), side.toolchain, 3600.0).job
    job = replace(job, overrides=tuple(pair for pair in job.overrides if pair[0] not in row.without))
    return job if row.flags else replace(job, flags=CompilerFlags())


def outcome_of(record: RunRecord) -> tuple[str, float | None]:
    """Return the outcome and the figure that the reference has for it."""
    if record.failure is None:
        return "fits", record.memory.fit_bytes / GiB if record.memory else None
    message = record.failure.message
    found = re.search(r"temporaries \(([\d.]+)G\)|size ([\d.]+)M and limit", message)
    return record.failure.kind.value, float(found[1] or found[2]) if found else None


def rows(names: list[str]) -> Iterator[str]:
    """Yield the table's lines as they are known."""
    yield "| row | reference | here | agrees |"
    yield "|---|---|---|---|"
    for row in ROWS:
        if names and row.name not in names:
            continue
        outcome, figure = outcome_of(run(job_of(row)))
        near = row.figure is None or (figure is not None and abs(figure - row.figure) <= 0.02)
        agrees = (
            "yes" if outcome == row.outcome and near else "verdict only" if outcome == row.outcome else "NO"
        )
        yield f"| {row.name} | {row.outcome} {row.figure or ''} | {outcome} {round(figure, 2) if figure else ''} | {agrees} |"


if __name__ == "__main__":
    for text in rows(sys.argv[1:]):
        print(text, flush=True)

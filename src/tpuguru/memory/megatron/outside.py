"""GPU memory that PyTorch does not report: a margin, not a computed size."""

from collections.abc import Iterator

from tpuguru.memory.budget import BudgetPart, Place
from tpuguru.memory.megatron.run import MegatronRun

# Measured on 8 x H100, TP2 PP2 DP2 (verl PR 6408): 7 GB per rank for a dense model, 9.5 GB for a mixture of
# experts.
_NCCL_DENSE, _NCCL_MOE = 7_000_000_000, 9_500_000_000
# A CUDA context takes 0.5 to 0.9 GB of a process; a colocated engine is a second process and keeps its CUDA
# graphs (0.6 GB for an 8B model on H200, sglang issue 7873).
_CUDA_CONTEXT, _ENGINE_GRAPHS = 700_000_000, 600_000_000


def outside_parts(run: MegatronRun) -> Iterator[BudgetPart]:
    """Yield the memory of communicators, CUDA contexts and a colocated engine's remains."""
    nccl = 0 if run.gpus == 1 else _NCCL_MOE if run.architecture.is_moe else _NCCL_DENSE
    processes = 2 if run.colocated else 1
    graphs = _ENGINE_GRAPHS if run.colocated else 0
    formula = f"NCCL {nccl / 1e9:g} GB, {processes} CUDA contexts, engine graphs {graphs / 1e9:g} GB"
    source = (
        "verl PR 6408 (NCCL, measured on 8 x H100); sglang issue 7873 (graphs); re-measure on your cluster"
    )
    total = nccl + processes * _CUDA_CONTEXT + graphs
    yield BudgetPart("non_torch", total, Place.GPU_OUTSIDE_TORCH, formula, source)

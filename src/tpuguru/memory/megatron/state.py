"""Weights, gradients and optimizer state: what stays on the GPU all step, and what the host keeps."""

from collections.abc import Iterator

from tpuguru.memory.budget import BudgetPart, Place
from tpuguru.memory.megatron.local_parameters import LocalParameters
from tpuguru.memory.megatron.run import MegatronRun, Optimizer

_WEIGHT, _BYTES = 2, {"fp32": 4, "bf16": 2}
_DISTRIBUTED = "Megatron-LM docs, distributed optimizer: bytes per parameter"
_PRECISION_AWARE = "Megatron-LM d98e8a6, distrib_optimizer.py: bf16 weights with stored remainders"
_OFFLOAD = "Megatron-LM d98e8a6, HybridDeviceOptimizer: pinned fp32 parameter and gradient, both moments"
_BRIDGE = "Megatron-Bridge docs/training/cpu-offloading.md: measured, 8 bytes per parameter move"


def state_parts(run: MegatronRun, local: LocalParameters) -> Iterator[BudgetPart]:
    """Yield weights, gradients and optimizer on the GPU, and the optimizer's bytes on the host."""
    yield _part("weights", _WEIGHT, local.total, "bf16 weights", "2 bytes per bf16 parameter")
    if not run.trains:
        return
    if run.adapter_parameters:
        yield from _adapters(run)
        return
    gradient = _BYTES[run.optimizer.gradients]
    yield _part("gradients", gradient, local.total, f"{run.optimizer.gradients} gradients", _DISTRIBUTED)
    sharded = optimizer_parameters(run, local)
    per_parameter, source = gpu_bytes_per_parameter(run.optimizer)
    yield _part("optimizer", per_parameter, sharded, "optimizer shard", source)
    if run.optimizer.offload_fraction:
        host = 16 * run.optimizer.offload_fraction
        yield _part("host_optimizer", host, sharded, "optimizer shard", _OFFLOAD, Place.HOST)


def _adapters(run: MegatronRun) -> Iterator[BudgetPart]:
    # An adapter is trained like any parameter without a distributed optimizer: 16 bytes beside its bf16
    # weight, which is counted here too.
    yield _part(
        "optimizer", 18, run.adapter_parameters, "adapter parameters", "mixed-precision Adam, 18 bytes"
    )


def optimizer_parameters(run: MegatronRun, local: LocalParameters) -> float:
    """Return the parameters whose optimizer state one GPU keeps.

    The distributed optimizer shards the dense part over DP x CP and the experts over EDP (Megatron-LM,
    distrib_optimizer.py); without it every GPU keeps all of its own.
    """
    if not run.optimizer.distributed:
        return local.total
    return local.dense / (run.data_parallel * run.context_parallel) + local.experts / run.expert_data_parallel


def gpu_bytes_per_parameter(optimizer: Optimizer) -> tuple[float, str]:
    """Return the optimizer's GPU bytes per parameter of its shard, and the source.

    Plain: fp32 master 4 + two fp32 moments 8. Precision-aware: the master shrinks to a 2-byte remainder, and
    moments may be bf16. Offloading without precision awareness leaves the fp32 master on the GPU and moves
    only the moments (as measured on Megatron-Bridge); with it everything moves.
    """
    moments = 2 * _BYTES[optimizer.moments] if optimizer.precision_aware else 8
    stays = 1 - optimizer.offload_fraction
    if optimizer.precision_aware:
        return (2 + moments) * stays, _PRECISION_AWARE
    return 4 + moments * stays, _BRIDGE if optimizer.offload_fraction else _DISTRIBUTED


def host_parts(run: MegatronRun, local: LocalParameters) -> Iterator[BudgetPart]:
    """Yield host bytes of a colocated job: training state moved out for rollout, and weight copies.

    Source: slime issue 1851 (8 x H100, Qwen3-30B-A3B): 101 GB by this formula, 102.2 to 102.7 GB measured.
    """
    source = "slime issue 1851: resident memory of the training processes"
    if run.colocated and run.trains:
        size = _WEIGHT + _BYTES[run.optimizer.gradients]
        yield _part("host_offloaded_training", size, local.total, "weights and gradients", source, Place.HOST)
    if run.weight_copies:
        copies = _WEIGHT * run.weight_copies
        yield _part("host_weight_copies", copies, local.total, "weights", source, Place.HOST)


def _part(
    name: str, each: float, count: float, what: str, source: str, place: Place = Place.GPU
) -> BudgetPart:
    formula = f"{each:g} B x {count / 1e9:.3f}e9 {what}"
    return BudgetPart(name, round(each * count), place, formula, source)

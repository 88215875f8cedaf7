"""Megatron-LM training memory per GPU and per host process, estimated from the configuration alone."""

from tpuguru.memory.megatron.estimate import estimate, stage_budgets
from tpuguru.memory.megatron.run import Loss, MegatronRun, Optimizer, Recompute

__all__ = ["Loss", "MegatronRun", "Optimizer", "Recompute", "estimate", "stage_budgets"]

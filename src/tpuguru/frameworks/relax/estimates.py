"""The training run of a launch and what is estimated of it, each computed when it is first asked for."""

from functools import cached_property

from tpuguru.frameworks.relax.batch import Batch
from tpuguru.frameworks.relax.engine import RolloutEngine, rollout_engine
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.peaks import Peaks
from tpuguru.frameworks.relax.training import run_batch, training_run
from tpuguru.memory.budget import Budget
from tpuguru.memory.megatron import MegatronRun, estimate
from tpuguru.models.architecture import Architecture
from tpuguru.models.parameters import ParameterCount, count_parameters

RUN_FLAGS = ("max-tokens-per-gpu", "tensor-model-parallel-size", "resource")
"""Flags that an estimate follows from; it is shown at the first of them that is written."""


class Estimates:
    """The training run and what is estimated of it, each computed when it is first asked for."""

    def __init__(self, subject: Subject) -> None:
        """Keep the subject."""
        self._subject = subject

    @property
    def architecture(self) -> Architecture:
        """The model. NotKnownError."""
        return self._subject.model.architecture

    @cached_property
    def count(self) -> ParameterCount:
        """Parameters of the model."""
        return count_parameters(self.architecture)

    @cached_property
    def batch(self) -> Batch:
        """The batch of the actor."""
        return run_batch(self._subject.flags, self._subject.resources.gpus("actor"))

    @cached_property
    def run(self) -> MegatronRun:
        """The actor's training run. NotKnownError, UsageError."""
        return training_run(self._subject.flags, self.architecture, self._subject.resources)

    @cached_property
    def budget(self) -> Budget:
        """The budget of the fullest GPU."""
        return estimate(self.run)

    @cached_property
    def peaks(self) -> Peaks:
        """What-if peaks."""
        return Peaks(self.run, self.batch)

    @cached_property
    def engine(self) -> RolloutEngine:
        """The rollout engines."""
        return rollout_engine(self._subject.flags, self._subject.resources)


def more_experts(subject: Subject, estimates: Estimates) -> int:
    """Return the largest expert parallelism within a node that divides experts and GPUs."""
    run = estimates.run
    if not estimates.architecture.is_moe:
        raise NotKnownError("the model has no experts")
    per_node = subject.flags.size("num-gpus-per-node", 8)
    ranks = run.gpus // (run.pipeline_parallel * run.expert_tensor)
    limit = min(ranks, max(1, per_node // run.expert_tensor), estimates.architecture.experts)
    fitting = (
        size
        for size in range(limit, 0, -1)
        if ranks % size == 0 and estimates.architecture.experts % size == 0
    )
    return next(fitting, 1)

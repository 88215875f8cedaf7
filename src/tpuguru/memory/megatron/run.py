"""What the estimator needs to know about a run. Frozen: `dataclasses.replace` gives the run after a fix."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from tpuguru.base.errors import UsageError
from tpuguru.models.architecture import Architecture

type Precision = Literal["fp32", "bf16"]


class Loss(Enum):
    """Bytes per logit while the loss is computed, at its peak.

    FUSED keeps bf16 logits and writes their gradient beside them: 2 + 2. UNFUSED adds the fp32 copy that
    becomes softmax and gradient in place: 2 + 4 + 2. RL also keeps an fp32 gradient, since the
    log-probabilities are taken in fp32 through autograd: 2 + 4 + 4 (slime issues 1951 and 1767: `val.float()`
    of all logits). LOG_PROBABILITIES is a forward pass only: 2 + 4. CHUNKED is RL's over at most 1,024 tokens
    at a time.
    """

    FUSED = "fused"
    UNFUSED = "unfused"
    RL = "rl"
    LOG_PROBABILITIES = "log-probabilities"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True)
class Recompute:
    """Activation recomputation. ``layers`` is the block size of «block» (recomputed layers of a stage)."""

    granularity: Literal["none", "selective", "full"] = "none"
    modules: tuple[str, ...] = ("core_attn",)
    method: Literal["uniform", "block"] = "uniform"
    layers: int = 1


@dataclass(frozen=True, slots=True)
class Optimizer:
    """Adam as Megatron holds it.

    ``precision_aware`` is ``--use-precision-aware-optimizer``; with it and bf16 parameters the fp32 master
    weight is stored as a 2-byte remainder. ``moments`` and ``gradients`` are the types of Adam's moments and
    of the gradient accumulation buffer. ``offload_fraction`` of the optimizer lives and steps on the CPU.
    """

    distributed: bool = True
    precision_aware: bool = False
    moments: Precision = "fp32"
    gradients: Precision = "fp32"
    offload_fraction: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MegatronRun:
    """One training job.

    ``microbatch_tokens`` are those of the worst microbatch on one GPU, after context parallelism (see
    :mod:`tpuguru.memory.microbatch`). ``expert_tensor_parallel`` None means Megatron's default, the
    tensor-parallel size. ``expert_imbalance`` multiplies the tokens of the fullest expert rank; 1.0 is
    perfect balance. ``colocated`` says that an inference engine shares the GPU and training state is moved to
    the host meanwhile; ``weight_copies`` are further bf16 copies on the host (actor, reference, teacher).
    ``adapter_parameters`` is the size of LoRA adapters; then only they are trained.
    """

    architecture: Architecture
    gpus: int
    microbatch_tokens: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    context_parallel: int = 1
    expert_parallel: int = 1
    expert_tensor_parallel: int | None = None
    virtual_pipeline: int = 1
    layers_of_stages: tuple[int, ...] = ()
    sequence_parallel: bool = False
    microbatches: int = 8
    recompute: Recompute = Recompute()
    optimizer: Optimizer = Optimizer()
    loss: Loss = Loss.RL
    trains: bool = True
    adapter_parameters: int = 0
    expert_imbalance: float = 1.0
    colocated: bool = False
    weight_copies: int = 0
    with_mtp: bool = False

    def __post_init__(self) -> None:
        """UsageError when the parallel sizes do not divide the GPUs."""
        dense = self.tensor_parallel * self.pipeline_parallel * self.context_parallel
        experts = self.expert_tensor * self.expert_parallel * self.pipeline_parallel
        for title, size in (("TP x PP x CP", dense), ("expert-TP x EP x PP", experts)):
            if size < 1 or self.gpus < 1 or self.gpus % size:
                raise UsageError(f"{self.gpus} GPUs cannot be divided by {title} = {size}")
        if self.layers_of_stages and len(self.layers_of_stages) != self.pipeline_parallel:
            raise UsageError(
                f"{len(self.layers_of_stages)} stages are described, but PP is {self.pipeline_parallel}"
            )

    @property
    def expert_tensor(self) -> int:
        """Tensor-parallel size of the experts; without experts it plays no part."""
        if not self.architecture.is_moe:
            return 1
        given = self.expert_tensor_parallel
        return self.tensor_parallel if given is None else given

    @property
    def data_parallel(self) -> int:
        """Replicas of the dense part: over them, times CP, the distributed optimizer is sharded."""
        return self.gpus // (self.tensor_parallel * self.pipeline_parallel * self.context_parallel)

    @property
    def expert_data_parallel(self) -> int:
        """Replicas of the experts (EDP): over them their optimizer state is sharded."""
        return self.gpus // (self.expert_tensor * self.expert_parallel * self.pipeline_parallel)

    @property
    def sequence_split(self) -> int:
        """What divides the regions outside tensor parallelism: TP with sequence parallelism, else 1."""
        return self.tensor_parallel if self.sequence_parallel else 1

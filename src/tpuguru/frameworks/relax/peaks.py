"""What-if estimates: the peak of the training GPU after one change. Each takes about a millisecond."""

from dataclasses import replace

from tpuguru.frameworks.relax.batch import Batch
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.training import with_tensor_parallel
from tpuguru.memory.fit import FITS_BELOW
from tpuguru.memory.megatron import MegatronRun, Recompute, estimate

_FULL_AT = 0.9  # of the GPU: the share that a partial offload should come down to
_STEP = 1024  # tokens
_MOST_TOKENS = 1 << 20


class Peaks:
    """Peaks of one run, each computed once."""

    def __init__(self, run: MegatronRun, batch: Batch) -> None:
        """Keep the run and its batch, from which a change of context parallelism follows."""
        self.run = run
        self._batch = batch
        self._known: dict[MegatronRun, int] = {}

    def peak(self, run: MegatronRun) -> int:
        """Return the bytes on the fullest GPU of a changed run. UsageError when its sizes do not divide."""
        if run not in self._known:
            self._known[run] = estimate(run).gpu_bytes
        return self._known[run]

    def now(self) -> int:
        """Return the peak as it stands."""
        return self.peak(self.run)

    def with_optimizer(self, **changes: bool | float) -> int:
        """Return the peak with another optimizer."""
        return self.peak(replace(self.run, optimizer=replace(self.run.optimizer, **changes)))  # type: ignore[arg-type]

    def without_recompute(self) -> int:
        """Return the peak without recomputation."""
        return self.peak(replace(self.run, recompute=Recompute()))

    def tensor_half(self) -> int:
        """Return the peak with half the tensor parallelism. NotKnownError when it cannot be halved."""
        return self.peak(with_tensor_parallel(self.run, _half(self.run.tensor_parallel)))

    def pipeline_half(self) -> int:
        """Return the peak with half the stages and no uneven or virtual stages. NotKnownError."""
        stages = _half(self.run.pipeline_parallel)
        changed = replace(self.run, pipeline_parallel=stages, layers_of_stages=(), virtual_pipeline=1)
        return self.peak(changed)

    def context_half(self) -> int:
        """Return the peak with half the context parallelism: a sample is divided over fewer GPUs."""
        context = _half(self.run.context_parallel)
        tokens = replace(self._batch, context_parallel=context).microbatch_tokens
        return self.peak(replace(self.run, context_parallel=context, microbatch_tokens=tokens))

    def tokens(self, budget: int) -> int:
        """Return the peak with another token budget."""
        tokens = replace(self._batch, budget=budget).microbatch_tokens
        return self.peak(replace(self.run, microbatch_tokens=tokens))

    def tokens_double(self) -> int:
        """Return the peak with twice the budget. NotKnownError without one."""
        return self.tokens(2 * self._budget())

    def half_gpus(self) -> int:
        """Return the peak on half the GPUs: optimizer shards double. NotKnownError when they are odd."""
        return self.peak(replace(self.run, gpus=_half(self.run.gpus)))

    def experts(self, size: int) -> int:
        """Return the peak with another expert parallelism."""
        return self.peak(replace(self.run, expert_parallel=size))

    def largest_budget(self, device: int) -> int:
        """Return the largest budget, in steps of 1,024 tokens, whose peak stays under 85 % of the GPU.

        At least one step; with a longer longest sample than the budget it is that sample's share, which no
        budget lowers. NotKnownError without dynamic batching.
        """
        self._budget()
        low, high = 1, 2

        def fits(steps: int) -> bool:
            return self.tokens(steps * _STEP) < FITS_BELOW * device

        while high * _STEP < _MOST_TOKENS and fits(high):
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low * _STEP

    def offload_fraction(self, device: int) -> float:
        """Return the share to offload, in twentieths, so that the peak is 90 % of the GPU, at most 1."""
        shares = (step / 20 for step in range(1, 21))
        fits = (
            share
            for share in shares
            if self.with_optimizer(precision_aware=True, offload_fraction=share) <= _FULL_AT * device
        )
        return next(fits, 1.0)

    def _budget(self) -> int:
        if self._batch.budget is None:
            raise NotKnownError("no token budget is in force", "--use-dynamic-batch-size")
        return self._batch.budget


def _half(size: int) -> int:
    if size % 2:
        raise NotKnownError(f"{size} cannot be halved", "an even size")
    return size // 2

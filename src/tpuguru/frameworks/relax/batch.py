"""Samples and tokens: what a step trains, and the worst microbatch on one GPU."""

from dataclasses import dataclass

from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.memory.microbatch import worst_microbatch

_SHORT = 4  # samples of a quarter of the longest: the lower end that the rules reckon with


@dataclass(frozen=True, slots=True)
class Batch:
    """Sizes of a step. ``budget`` is None without dynamic batching; ``longest``: nothing bounds a sample."""

    trained: int | None
    micro: int
    budget: int | None
    longest: int | None
    context_parallel: int
    data_parallel: int

    @property
    def microbatch_tokens(self) -> int:
        """Tokens of the worst microbatch on one GPU. NotKnownError when no flag bounds a sample."""
        if self.longest is None and self.budget is None:
            raise NotKnownError("no flag bounds the length of a sample", "--rollout-max-response-len")
        return worst_microbatch(
            longest_sample=self.longest or 0,
            context_parallel=self.context_parallel,
            micro_batch_size=self.micro,
            tokens_per_gpu=self.budget,
        )

    def microbatches(self, share: int = 1) -> int:
        """Return the microbatches of a step when every sample is the longest over ``share`` tokens long."""
        if self.trained is None:
            raise NotKnownError("--global-batch-size is not given", "--global-batch-size")
        each = max(1, self.trained // max(1, self.data_parallel))
        if self.budget is None or self.longest is None:
            return -(-each // self.micro)
        tokens = each * max(1, self.longest // share)
        return max(1, min(each, -(-tokens // (self.budget * self.context_parallel))))


def longest_sample(flags: Flags) -> int | None:
    """Return the tokens of the longest sample, None when no flag bounds it.

    Prompt and response together, at most the context length. When only the response is bounded, it alone
    counts: the prompt adds to it.
    """
    context = _length(flags, "rollout-max-context-len", "preference-max-length")
    response = _length(flags, "rollout-max-response-len")
    prompt = _length(flags, "rollout-max-prompt-len")
    if response is None:
        return context
    if prompt is None:
        return context or response
    return min(prompt + response, context or prompt + response)


def _length(flags: Flags, *keys: str) -> int | None:
    return next((flags.size(key, 1) for key in keys if key in flags), None)


def budget_of(flags: Flags) -> int | None:
    """Return the token budget that is in force: None without dynamic batching or without a budget."""
    if "use-dynamic-batch-size" not in flags or "max-tokens-per-gpu" not in flags:
        return None
    return flags.size("max-tokens-per-gpu", 1)


def batch_of(flags: Flags, *, data_parallel: int, context_parallel: int) -> Batch:
    """Return the batch. NotKnownError."""
    trained = flags.size("global-batch-size", 1) if "global-batch-size" in flags else None
    budget = budget_of(flags)
    longest = longest_sample(flags)
    ranks = context_parallel
    if "dynamic-context-parallel" in flags and budget and longest:
        # cp = next power of two of ceil(context / budget) (Relax, configuration guide)
        ranks = 1 << max(0, -(-longest // budget) - 1).bit_length()
    return Batch(trained, flags.size("micro-batch-size", 1), budget, longest, ranks, data_parallel)


def steps_of(flags: Flags) -> float:
    """Return the optimizer steps of a rollout: prompts x samples / trained samples. NotKnownError."""
    prompts, samples = flags.integer("rollout-batch-size"), flags.size("n-samples-per-prompt", 1)
    return prompts * samples / flags.size("global-batch-size", 1)

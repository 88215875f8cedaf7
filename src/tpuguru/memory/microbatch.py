"""How many tokens the worst microbatch puts on one GPU."""


def worst_microbatch(
    *,
    longest_sample: int,
    context_parallel: int = 1,
    micro_batch_size: int = 1,
    tokens_per_gpu: int | None = None,
) -> int:
    """Return the tokens of the largest microbatch on one GPU.

    With dynamic batching (``tokens_per_gpu``, Relax's ``--max-tokens-per-gpu``) samples are packed up to that
    budget, but one sample longer than the budget still goes alone: it is not cut (slime issues 1951 and
    1450). Without it, ``micro_batch_size`` samples are padded to the longest. ``longest_sample`` counts
    prompt and response tokens. Context parallelism divides a sample over its ranks; the budget already is per
    GPU.
    """
    sample = -(-longest_sample // context_parallel)
    if tokens_per_gpu is None:
        return micro_batch_size * sample
    return max(tokens_per_gpu, sample)

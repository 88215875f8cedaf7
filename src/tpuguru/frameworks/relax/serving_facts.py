"""Facts about the rollout engines' memory, and the values that fixes suggest."""

from functools import partial
from typing import TYPE_CHECKING

from tpuguru.facts.value import FactValue
from tpuguru.frameworks.relax.batch import longest_sample
from tpuguru.frameworks.relax.engine import fewest_gpus, pool_of, pool_tokens
from tpuguru.frameworks.relax.estimates import RUN_FLAGS, Estimates, more_experts
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.putting import Putter

if TYPE_CHECKING:
    from collections.abc import Callable


def put_engine(put: Putter, subject: Subject, estimates: Estimates) -> None:
    """Put the weights and the KV pool of an engine, whole and with half its GPUs."""
    flags, keys = subject.flags, ("sglang-mem-fraction-static", "rollout-num-gpus-per-engine")

    def layers_told() -> None:
        if not subject.model.layers_told:
            raise NotKnownError(
                "the model configuration leaves to the checkpoint which layers keep a KV cache",
                "the --linear-… flags of the model, or --model NAME",
            )

    def pool(share: int) -> FactValue:
        layers_told()
        engine = estimates.engine
        if engine.gpus % share:
            raise NotKnownError("an engine has one GPU only", "an engine of several GPUs")
        gpus = engine.gpus // share
        found = pool_of(flags, estimates.architecture, engine, subject.device_bytes, gpus)
        return pool_tokens(found, engine)

    def whole(name: str) -> int:
        found = pool_of(
            flags, estimates.architecture, estimates.engine, subject.device_bytes, estimates.engine.gpus
        )
        if name == "weights":
            return found.budget.bytes_of("weights")
        layers_told()
        return found.bytes_per_token

    put.deferred("engine.pool", partial(pool, 1), *keys)
    put.deferred("engine.pool_half", partial(pool, 2), *keys)
    put.deferred("engine.weights", partial(whole, "weights"), *keys)
    put.deferred("engine.token_bytes", partial(whole, "token"), *keys)


def put_suggestions(put: Putter, subject: Subject, estimates: Estimates) -> None:
    """Put the values that fixes fill in."""

    def engine() -> int:
        longest = longest_sample(subject.flags)
        if longest is None:
            raise NotKnownError("no flag bounds the length of a sample", "--rollout-max-response-len")
        if not subject.model.layers_told:
            raise NotKnownError("which layers keep a KV cache is not known", "--model NAME")
        found = estimates.engine
        return fewest_gpus(subject.flags, estimates.architecture, found, subject.device_bytes, longest)

    def chunk() -> int:
        stages = subject.flags.size("pipeline-model-parallel-size", 1)
        return max(1, len(estimates.architecture.layers) // (2 * stages))

    works: dict[str, Callable[[], FactValue]] = {
        "expert": partial(more_experts, subject, estimates),
        "engine": engine,
        "budget": lambda: estimates.peaks.largest_budget(subject.device_bytes),
        "offload_fraction": lambda: estimates.peaks.offload_fraction(subject.device_bytes),
        "chunk": chunk,
        "half_gpus": lambda: subject.resources.total // 2,
    }
    for name, work in works.items():
        put.deferred(f"suggest.{name}", work, *RUN_FLAGS)

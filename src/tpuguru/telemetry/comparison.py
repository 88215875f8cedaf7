"""«X is N % faster»: what two logs say about it, and whether the claim stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.scan import Scan

_FEW_STEPS = 10
_SAME = 0.01  # relative difference below which two amounts of work are the same
# Settings that change how much work is done, or whether it is real, rather than how fast it is done.
WORK_SETTINGS = {
    "per_device_batch_size": "another batch",
    "max_target_length": "another sequence length",
    "global_batch_size": "another batch",
    "micro_batch_size": "another micro-batch",
    "reuse_example_batch": "the same batch at every step hides the input pipeline",
    "use_random_routing": "random routing has no imbalance",
    "capacity_factor": "another capacity drops other tokens",
    "ragged_buffer_factor": "a bounded expert buffer drops what overflows",
    "dataset_type": "another data source",
    "quantization": "another precision: compare quality as well",
    "base_num_decoder_layers": "another model",
    "override_model_config": "another model",
    "model_name": "another model",
    "num_experts_per_tok": "another number of active experts",
    "seed": "other prompts or data",
    "max_concurrency": "another load",
    "random_input_len": "another prompt length",
    "random_output_len": "another answer length",
    "random_range_ratio": "another spread of lengths",
    "num_prompts": "another number of requests",
}


class Standing(StrEnum):
    """Whether a claim stands."""

    STANDS = "stands"
    DOES_NOT_STAND = "does not stand"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs between the two logs; ``matters`` when it makes the rates incomparable."""

    what: str
    before: str
    after: str
    matters: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on a claim: ratio of medians (above 1 is faster), changes and reasons."""

    standing: Standing
    quantity: str
    ratio: float | None
    noise: float | None
    changes: tuple[Change, ...]
    reasons: tuple[str, ...]


def compare(before: Scan, after: Scan) -> Comparison:
    """Compare two logs of the same kind of run."""
    first, second = before.observation, after.observation
    quantity, ratio, noise = _speed(first, second)
    changes = tuple(_changes(first, second))
    against = [f"{change.what}: {change.matters}" for change in changes if change.matters]
    against += _faults(first, "before") + _faults(second, "after")
    doubts = list(_doubts(first, second, ratio, noise))
    if ratio is None:
        standing = Standing.CANNOT_TELL
        doubts.insert(0, "the logs hold no rate or step time of the same kind")
    elif against:
        standing = Standing.DOES_NOT_STAND
    else:
        standing = Standing.CANNOT_TELL if doubts else Standing.STANDS
    return Comparison(standing, quantity, ratio, noise, changes, (*against, *doubts))


def _speed(first: Observation, second: Observation) -> tuple[str, float | None, float | None]:
    """Return what was compared, after / before as a speed, and the larger relative spread of the two."""
    for name, inverse in (("step_seconds", True), ("token_rate", False), ("flop_rate", False)):
        one, two = getattr(first, name), getattr(second, name)
        before, after = one.median(skip_first=True), two.median(skip_first=True)
        if before and after:
            ratio = before / after if inverse else after / before
            noise = max(one.spread(skip_first=True), two.spread(skip_first=True))
            return name.replace("_", " "), ratio, noise
    return "", None, None


def _changes(first: Observation, second: Observation) -> Iterator[Change]:
    yield from _changed_settings(first, second)
    if first.flop_rate_per != second.flop_rate_per and first.flop_rate_per and second.flop_rate_per:
        yield Change(
            "denominator of FLOP/s", first.flop_rate_per, second.flop_rate_per, "the rates count other things"
        )
    for what, one, two in (
        ("tokens per step and device", _per_step(first, "token_rate"), _per_step(second, "token_rate")),
        ("FLOPs per step and device", _per_step(first, "flop_rate"), _per_step(second, "flop_rate")),
    ):
        if one and two and abs(two / one - 1) > _SAME:
            yield Change(
                what, f"{one:.4g}", f"{two:.4g}", "the steps do different work, or count it differently"
            )


def _changed_settings(first: Observation, second: Observation) -> Iterator[Change]:
    before = {quoted.key: quoted.value for quoted in first.settings}
    after = {quoted.key: quoted.value for quoted in second.settings}
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            shown = (before.get(key, "not stated"), after.get(key, "not stated"))
            yield Change(key, *shown, WORK_SETTINGS.get(key, ""))


def _per_step(seen: Observation, name: str) -> float | None:
    rate, seconds = getattr(seen, name).median(skip_first=True), seen.step_seconds.median(skip_first=True)
    return rate * seconds if rate and seconds else None


def _faults(seen: Observation, which: str) -> list[str]:
    faults = []
    if seen.loss.zeros:
        faults.append(
            f"{which}: the loss is exactly 0 in {seen.loss.zeros} steps: nothing was learned or computed"
        )
    if seen.loss.not_finite:
        faults.append(f"{which}: the loss is not finite in {seen.loss.not_finite} steps")
    return faults


def _doubts(
    first: Observation, second: Observation, ratio: float | None, noise: float | None
) -> Iterator[str]:
    for which, seen in (("before", first), ("after", second)):
        steps = seen.step_seconds.count
        if 0 < steps < _FEW_STEPS:
            yield f"{which}: {steps} steps (one with the compile) are too few; take {_FEW_STEPS} or more"
    if ratio is not None and noise is not None and abs(ratio - 1) <= 2 * noise:
        gain = f"{100 * (ratio - 1):+.1f} %"
        yield f"the difference ({gain}) is within twice the spread of the steps ({100 * noise:.1f} %)"
    lower = first.loss.last is not None and second.loss.last is not None
    if not lower and (first.step_seconds.count or second.step_seconds.count):
        yield "no loss on both sides: nothing shows that the same was computed"
    elif lower and _diverged(first, second):
        losses = f"{first.loss.last:.4g} and {second.loss.last:.4g}"
        yield f"the last losses differ ({losses}): check that the same was computed"


def _diverged(first: Observation, second: Observation) -> bool:
    one, two = first.loss.last, second.loss.last
    same_length = first.loss.count == second.loss.count
    return bool(same_length and one and two and abs(two - one) > 0.05 * abs(one))

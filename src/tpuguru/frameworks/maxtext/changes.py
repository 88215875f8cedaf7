"""Single changes that may make a MaxText launch fit, the cheapest first. Each is tried by compiling."""

import re
from collections.abc import Iterator
from math import ceil

from tpuguru.aot.record import Failure, FailureKind
from tpuguru.facts.factset import Facts
from tpuguru.frameworks.compiling import Change
from tpuguru.frameworks.maxtext.rejection import advised_flag

_VMEM_FLAG = "--xla_tpu_scoped_vmem_limit_kib"
_VMEM_STEP_KIB = 1024
_VOCAB_TILES = 8


def changes_for(failure: Failure, facts: Facts) -> tuple[Change, ...]:
    """Return what to try for a failure; nothing when no single setting is known to help."""
    if failure.kind is FailureKind.HBM_OOM:
        return tuple(_for_hbm(facts))
    if failure.kind is FailureKind.VMEM_OOM:
        return tuple(_for_vmem(failure.message))
    if failure.kind is FailureKind.FLAG_REJECTED:
        return tuple(_for_flag(failure.message, facts))
    return ()


def _for_hbm(facts: Facts) -> Iterator[Change]:
    batch, length = _number(facts, "per_device_batch_size"), _number(facts, "max_target_length")
    policy = facts.get("maxtext.remat.policy").value
    if facts.get("maxtext.attention.expected").value == "dot_product" and length and length >= 128:
        yield Change("attention=flash", (("attention", "flash"),))
    if policy not in ("full", "custom"):
        yield Change("remat_policy=full", (("remat_policy", "full"),))
    tiles = _number(facts, "num_vocab_tiling")
    if tiles == 1 and batch and length and (batch * length) % _VOCAB_TILES == 0:
        yield Change(f"num_vocab_tiling={_VOCAB_TILES}", (("num_vocab_tiling", str(_VOCAB_TILES)),))
    if batch and batch >= 2:
        yield from _smaller_batch(batch, facts)
    if policy in ("full", "minimal"):
        words = (("remat_policy", "custom"), ("decoder_layer_input", "offload"))
        yield Change("remat_policy=custom decoder_layer_input=offload", words)


def _smaller_batch(batch: float, facts: Facts) -> Iterator[Change]:
    half = int(batch // 2)
    words = (("per_device_batch_size", str(half)),)
    steps = int(_number(facts, "gradient_accumulation_steps") or 1) * 2
    if half * 2 == batch:
        accumulated = (*words, ("gradient_accumulation_steps", str(steps)))
        yield Change(
            f"per_device_batch_size={half} gradient_accumulation_steps={steps} (same global batch)",
            accumulated,
        )
    yield Change(f"per_device_batch_size={half}", words)


def _for_vmem(message: str) -> Iterator[Change]:
    found = re.search(r"size ([\d.]+)M and limit", message)
    if found:
        needed = ceil(float(found[1]) * 1024 / _VMEM_STEP_KIB) * _VMEM_STEP_KIB
        flag = f"{_VMEM_FLAG}={needed}"
        yield Change(flag, flags=(flag,))


def _for_flag(message: str, facts: Facts) -> Iterator[Change]:
    advised = advised_flag(message)
    if advised:
        flag = f"--{advised}"
        yield Change(flag, flags=(flag,))
    written = facts.get("maxtext.flags.names").value
    for name in written if isinstance(written, tuple) else ():
        if str(name).lstrip("-") in message:
            yield Change(f"without {name}", without_flags=(str(name),))


def _number(facts: Facts, key: str) -> float | None:
    value = facts.get(f"maxtext.config.{key}").value
    return value if isinstance(value, (int, float)) else None

"""The outcome of a proof."""

from dataclasses import dataclass
from enum import StrEnum


class ProveLevel(StrEnum):
    """How much to measure: nothing, what lowering shows (seconds), or flags too (a compile each)."""

    NONE = "none"
    FAST = "fast"
    ALL = "all"


class Verdict(StrEnum):
    """What a setting does to the compiled train step.

    ``live``: without it the program is another one.
    ``dead``: without it the program is the same, and it acts nowhere else.
    ``redundant``: it alone changes nothing, but together with the settings in ``masked_by`` it does.
    ``default``: it states what would happen anyway: the resolved configuration is the same without it,
    or the program is, and another value of the setting was measured to change it.
    ``not-in-program``: the program is the same without it, and it acts, or may act, outside the train step.
    ``rejected-without``: the framework refuses the launch without it.
    ``untested``: not measured; the reason says why.
    """

    LIVE = "live"
    DEAD = "dead"
    REDUNDANT = "redundant"
    DEFAULT = "default"
    NOT_IN_PROGRAM = "not-in-program"
    REJECTED_WITHOUT = "rejected-without"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True)
class DeadSettingProof:
    """The verdict on one written setting, with the two hashes that show it.

    ``hash_with`` and ``hash_without`` are the StableHLO's SHA-256 (for flags: of the optimised HLO).
    ``masked_by`` names written settings that hide this one: with one of them gone it would act.
    ``tried`` is a change under which it was measured to act.
    """

    key: str
    value: str
    where: str
    verdict: Verdict
    hash_with: str = ""
    hash_without: str = ""
    reason: str = ""
    make_live: str = ""
    masked_by: tuple[str, ...] = ()
    tried: str = ""


@dataclass(frozen=True, slots=True)
class ProofReport:
    """All verdicts of one launch. ``deterministic``: lowering the launch again gave the same hash."""

    proofs: tuple[DeadSettingProof, ...] = ()
    program_hash: str = ""
    refusal: str = ""
    deterministic: bool = True
    lowered: int = 0
    seconds: float = 0.0
    import_seconds: float = 0.0
    notes: tuple[str, ...] = ()

"""The outcome of a proof."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal


class SettingVerdict(StrEnum):
    """What a setting does to the programs that are sent to the compiler.

    ``live``: without it a program, or what is asked of the compiler, is another one.
    ``needed``: the program fails without it.
    ``default``: it states what would happen anyway; another value was measured to act.
    ``redundant``: it alone changes nothing; without it and those in ``masked_by`` together something changes.
    ``masked``: it changes nothing as long as those in ``masked_by`` are there.
    ``no-effect``: no compiled program depends on it, as far as was compared; it may act elsewhere.
    ``harmful``: the program fails with it and does not without it.
    ``untested``: not measured, or not to be measured so; the reason says why.
    """

    LIVE = "live"
    NEEDED = "needed"
    DEFAULT = "default"
    REDUNDANT = "redundant"
    MASKED = "masked"
    NO_EFFECT = "no-effect"
    HARMFUL = "harmful"
    UNTESTED = "untested"


type How = Literal["differs", "options", "missing", "new"]
type KindName = Literal["option", "assignment", "variable", "flag"]


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """How one program differs without a setting. ``lines`` show where: «- » with the setting, «+ » without.

    ``how``: «differs», «options» (what is asked of the compiler), «missing» or «new» without the setting.
    """

    name: str
    how: How
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingProof:
    """The verdict on one setting, with the hashes of all compared programs that show it."""

    key: str
    value: str
    kind: KindName
    verdict: SettingVerdict
    reason: str = ""
    changes: tuple[ProgramChange, ...] = ()
    masked_by: tuple[str, ...] = ()
    tried: str = ""
    hash_with: str = ""
    hash_without: str = ""


@dataclass(slots=True)
class SettingReport:
    """All verdicts on one command.

    ``main`` is the program with the most arithmetic, ``compared`` the programs up to where each run was ended
    (``until`` says where), ``not_compared`` those that the program sends to the compiler after that.
    ``unstable`` names programs that differ from run to run, ``judged`` is False when they cannot be compared.
    ``runs`` were started, ``forked`` of them from a process that had imported everything.
    """

    folder: Path
    proofs: tuple[SettingProof, ...] = ()
    main: str = ""
    until: str = ""
    compared: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()
    judged: bool = True
    refusal: str = ""
    runs: int = 0
    forked: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)

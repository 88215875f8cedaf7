"""The contract ``setting_proof/v1``: which settings of a command change what it sends to the compiler."""

from typing import Literal

import msgspec

from tpuguru.base.redaction import redact, redact_value
from tpuguru.slice.proving.model import ProgramChange, SettingProof, SettingReport


class ChangeEntry(msgspec.Struct, frozen=True):
    """How one program differs without the setting.

    ``options``: what is asked of the compiler; ``missing`` and ``new``: the program is only there with, only
    without it. ``lines`` show where, «- » with the setting, «+ » without.
    """

    program: str
    how: Literal["differs", "options", "missing", "new"]
    lines: list[str]


class SettingEntry(msgspec.Struct, frozen=True):
    """One setting. The hashes are of everything that was compared, with and without it; empty: no such run.

    ``changes_main`` tells whether the program with the most arithmetic is among the changes.
    """

    key: str
    value: str
    kind: Literal["option", "assignment", "variable", "flag"]
    verdict: Literal["live", "needed", "default", "redundant", "masked", "no-effect", "harmful", "untested"]
    reason: str
    changes: list[ChangeEntry]
    changes_main: bool
    masked_by: list[str]
    tried: str
    hash_with: str
    hash_without: str


class SettingProofReport(msgspec.Struct, frozen=True):
    """The whole proof. Programs are named as the compiler calls them.

    ``compared`` were compared, ``not_compared`` are sent after the point at which each run was ended
    (``until``). ``unstable`` programs differ from run to run of the same command; ``judged`` is false when
    these differences could not be set aside. ``refusal``: the program itself fails, and why.
    """

    folder: str
    command: list[str]
    main: str
    until: str
    compared: list[str]
    not_compared: list[str]
    unstable: list[str]
    judged: bool
    refusal: str
    settings: list[SettingEntry]
    runs: int
    forked: int
    seconds: float
    interrupted: bool
    notes: list[str]
    schema: str = "setting_proof/v1"


CONTRACT = ("setting_proof.v1", SettingProofReport)


def to_contract(report: SettingReport, command: tuple[str, ...]) -> SettingProofReport:
    """Return the contract of a report, without secrets."""
    return SettingProofReport(
        folder=str(report.folder),
        command=[redact(word) for word in command],
        main=report.main,
        until=report.until,
        compared=list(report.compared),
        not_compared=list(report.not_compared),
        unstable=list(report.unstable),
        judged=report.judged,
        refusal=report.refusal,
        settings=[_entry(proof, report.main) for proof in report.proofs],
        runs=report.runs,
        forked=report.forked,
        seconds=round(report.seconds, 1),
        interrupted=report.interrupted,
        notes=report.notes,
    )


def _entry(proof: SettingProof, main: str) -> SettingEntry:
    return SettingEntry(
        key=proof.key,
        value=redact_value(proof.key, proof.value),
        kind=proof.kind,
        verdict=proof.verdict.value,
        reason=redact(proof.reason),
        changes=[_change(change) for change in proof.changes],
        changes_main=any(change.name == main for change in proof.changes),
        masked_by=list(proof.masked_by),
        tried=proof.tried,
        hash_with=proof.hash_with,
        hash_without=proof.hash_without,
    )


def _change(change: ProgramChange) -> ChangeEntry:
    return ChangeEntry(change.name, change.how, [redact(line) for line in change.lines])

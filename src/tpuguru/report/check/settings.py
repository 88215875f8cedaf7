"""The settings section: for everything the user wrote, whether it changes the program, with the proof."""

from collections.abc import Iterable, Iterator
from typing import Literal

from tpuguru.aot.proofs import DeadSettingProof, Verdict
from tpuguru.base.redaction import redact, redact_value
from tpuguru.launch.model import Launch, Setting, SettingSource
from tpuguru.report.contracts.check import SettingRecord, SettingStatus
from tpuguru.report.contracts.common import location_record

type Where = Literal["command", "file", "environment", "flag"]

_STATUSES: dict[Verdict, SettingStatus] = {
    Verdict.LIVE: "live",
    Verdict.DEAD: "dead",
    Verdict.DEFAULT: "default",
    Verdict.REDUNDANT: "redundant",
    Verdict.NOT_IN_PROGRAM: "outside_program",
    Verdict.REJECTED_WITHOUT: "needed",
    Verdict.UNTESTED: "not_proved",
}
_WHERE: dict[SettingSource, Where] = {
    SettingSource.COMMAND: "command",
    SettingSource.FILE: "file",
    SettingSource.ENVIRONMENT: "environment",
}


def setting_records(launch: Launch, proofs: Iterable[DeadSettingProof]) -> tuple[SettingRecord, ...]:
    """Return a record for every written setting and compiler flag, duplicates that lost included."""
    by_key = {proof.key: proof for proof in proofs}
    return (
        *_records(launch.settings, by_key),
        *_records(launch.compiler_flags, by_key, where="flag"),
    )


def _records(
    settings: Iterable[Setting], proofs: dict[str, DeadSettingProof], where: Where | None = None
) -> Iterator[SettingRecord]:
    for setting in settings:
        if where is None and setting.source not in _WHERE:
            continue
        place = where or _WHERE[setting.source]
        if setting.overridden_by is not None:
            yield _overridden(setting, place)
        else:
            yield _proved(setting, place, proofs.get(setting.key) or proofs.get(setting.key.lstrip("-")))


def _overridden(setting: Setting, where: Where) -> SettingRecord:
    return SettingRecord(
        key=setting.key,
        value=_text(setting),
        where=where,
        status="overridden",
        proof=f"written again at {setting.overridden_by}; the last one wins",
        makes_live="keep only one of them",
        location=location_record(setting.location),
    )


def _proved(setting: Setting, where: Where, proof: DeadSettingProof | None) -> SettingRecord:
    status = _STATUSES[proof.verdict] if proof else "not_proved"
    return SettingRecord(
        key=setting.key,
        value=_text(setting),
        where=where,
        status=status,
        proof=_proof(proof) if proof else "",
        reason=proof.reason if proof else "",
        makes_live=proof.make_live if proof else "",
        location=location_record(setting.location),
    )


def _proof(proof: DeadSettingProof) -> str:
    """Return the two hashes of the train step's StableHLO, with and without the setting."""
    if not proof.hash_with or not proof.hash_without:
        return ""
    equal = "=" if proof.hash_with == proof.hash_without else "≠"
    masked = f", live only without {', '.join(proof.masked_by)}" if proof.masked_by else ""
    return f"StableHLO with {proof.hash_with[:12]} {equal} without {proof.hash_without[:12]}{masked}"


def _text(setting: Setting) -> str:
    if isinstance(setting.text, str):
        return redact_value(setting.key, setting.text)
    return redact(setting.raw) or "known only when run"

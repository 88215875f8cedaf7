"""Prove compiler flags by what the compiler makes: the program compiled with and without, a compile each.

A flag of libtpu acts inside the compiler, so that nothing that is sent there shows it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tpuguru.base.ablation import OutOfBudgetError, Variation
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.proving.model import SettingProof, SettingVerdict
from tpuguru.slice.proving.runs import Runs
from tpuguru.slice.proving.site import RunOutcome
from tpuguru.slice.proving.stops import Stop
from tpuguru.slice.proving.texts import ProgramTexts
from tpuguru.slice.proving.written import Kind, WrittenSetting, vary


@dataclass(frozen=True, slots=True)
class CompileQuestion:
    """What is compiled: the command's programs up to ``stop``, which is where the last of them would run."""

    runs: Runs
    texts: ProgramTexts
    command: ProgramCommand
    settings: Mapping[str, WrittenSetting]
    stop: Stop

    def outcome(self, omit: Sequence[str]) -> RunOutcome:
        """Run the command without some flags. OutOfBudgetError when the time is up."""
        command = vary(self.command, self.settings, Variation.without(omit))
        return self.runs.run(command, self.stop, fresh=True)

    def compiled(self, outcome: RunOutcome) -> str:
        """Return a hash of all programs as the compiler made them, without metadata."""
        modules = outcome.records / "programs"
        facts = (outcome.trace.facts(asked) for asked in outcome.trace.asked)
        paths = (modules / each.folder / "module.hlo.pb" for each in facts if each)
        identities = sorted({self.texts.of(path).identity for path in paths})
        return hashlib.sha256("\n".join(identities).encode()).hexdigest()


def prove_flags(question: CompileQuestion, proofs: Sequence[SettingProof]) -> list[SettingProof]:
    """Return the proofs with the verdict on each flag by what was compiled; the others as they are.

    All flags are left out at once; only where that changes something, each alone.
    """
    flags = [key for key, setting in question.settings.items() if setting.kind is Kind.FLAG]
    found: dict[str, SettingProof] = {proof.key: proof for proof in proofs}
    try:
        if flags:
            _prove_each(question, found, flags)
    except OutOfBudgetError:
        pass  # what is not reached keeps its verdict on what was sent
    return list(found.values())


def _prove_each(question: CompileQuestion, found: dict[str, SettingProof], flags: list[str]) -> None:
    base = question.outcome(())
    if base.failed:
        return
    with_all = question.compiled(base)
    together = question.outcome(flags)
    if not together.failed and question.compiled(together) == with_all:
        for key in flags:
            found[key] = _without_effect(found[key], with_all)
        return
    for key in flags:
        alone = question.outcome((key,))
        if alone.failed:
            reason = f"without it: {alone.reason or alone.last_words}"
            found[key] = replace(found[key], verdict=SettingVerdict.NEEDED, reason=reason)
        elif question.compiled(alone) == with_all:
            found[key] = _without_effect(found[key], with_all)
        else:
            found[key] = replace(
                found[key],
                verdict=SettingVerdict.LIVE,
                reason="the compiler makes another program without it",
                hash_with=with_all,
                hash_without=question.compiled(alone),
            )


def _without_effect(proof: SettingProof, compiled: str) -> SettingProof:
    return replace(
        proof,
        verdict=SettingVerdict.NO_EFFECT,
        reason="the compiler accepts it and makes the same programs without it",
        changes=(),
        hash_with=compiled,
        hash_without=compiled,
    )

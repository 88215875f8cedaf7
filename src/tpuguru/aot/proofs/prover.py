"""Decide, by asking for programs with settings left out, what each written setting does."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tpuguru.aot.proofs.knowledge import SettingKnowledge
from tpuguru.aot.proofs.model import DeadSettingProof, Verdict
from tpuguru.aot.proofs.oracle import Oracle, Settings
from tpuguru.aot.proofs.written import Written
from tpuguru.base.ablation import (
    OutOfBudgetError,
    Program,
    Refusal,
    Variation,
    find_masks,
    redundant_partners,
)

type OnProgress = Callable[[int, int], None]

# Above this many settings (a whole base.yml, pasted) those that state a default are found by halving.
_HALVING_FROM = 40


class Prover:
    """One launch's proof. Every verdict rests on a measurement.

    The table only gives reasons and says what to try.
    """

    def __init__(self, oracle: Oracle, written: Sequence[Written], knowledge: SettingKnowledge) -> None:
        """Prepare for the written settings."""
        self._oracle = oracle
        self._written = {setting.key: setting for setting in written}
        self._knowledge = knowledge
        self._proofs: dict[str, DeadSettingProof] = {}
        self.refusal = ""
        self.program_hash = ""
        self.deterministic = True

    def run(self, on_progress: OnProgress) -> list[DeadSettingProof]:
        """Return one proof for each written setting, in their order."""
        self._on_progress = on_progress
        try:
            self._measure()
        except OutOfBudgetError:
            self._rest("the time for proving was used up")
        return [self._proofs[key] for key in self._written]

    def _measure(self) -> None:
        base, settings = self._oracle.program(Variation()), self._oracle.settings(Variation())
        if isinstance(base, Refusal) or isinstance(settings, Refusal):
            refused = base if isinstance(base, Refusal) else settings
            self.refusal = refused.message if isinstance(refused, Refusal) else ""
            self._rest("the launch itself does not lower")
            return
        self._base, self._settings, self.program_hash = base, settings, base.stablehlo
        remaining = self._without_defaults(list(self._written))
        inside = [key for key in remaining if self._elsewhere(key) is None]
        self._outside([key for key in remaining if key not in inside])
        # Those that the table takes for dead come first, in case the budget ends early.
        for key in sorted(inside, key=lambda each: self._knowledge.explain(each, settings.values) is None):
            self._inside(key)
        self._confirm([key for key in inside if self._verdict(key) is Verdict.DEAD])
        self._control()
        self._explain([key for key in inside if self._verdict(key) is Verdict.DEAD])

    def _elsewhere(self, key: str) -> str | None:
        return self._knowledge.acts_elsewhere(key, self._settings.groups.get(key, ""))

    def _without_defaults(self, keys: list[str]) -> list[str]:
        """Settle the keys whose absence resolves to the same configuration, or is refused.

        Return the others.
        """
        if not keys:
            return []
        if len(keys) > _HALVING_FROM:
            if self._resolves_equal(self._oracle.settings(Variation.without(keys))):
                for key in keys:
                    self._settle(key, Verdict.DEFAULT, reason=self._default_reason(key))
                return []
            middle = len(keys) // 2
            return self._without_defaults(keys[:middle]) + self._without_defaults(keys[middle:])
        return [key for key in keys if not self._settled_by_resolving(key)]

    def _settled_by_resolving(self, key: str) -> bool:
        found = self._oracle.settings(Variation.without([key]))
        if isinstance(found, Refusal):
            self._settle(key, Verdict.REJECTED_WITHOUT, reason=found.message)
        elif self._resolves_equal(found):
            self._settle(key, Verdict.DEFAULT, reason=self._default_reason(key))
        else:
            return False
        return True

    def _resolves_equal(self, found: Settings | Refusal) -> bool:
        return isinstance(found, Settings) and found.values == self._settings.values

    def _default_reason(self, key: str) -> str:
        anyway = self._settings.values.get(key)
        return f"the resolved configuration is the same without it: {key} is {anyway!r} anyway"

    def _outside(self, keys: list[str]) -> None:
        """Settle settings that act elsewhere: together when none shows in the program, else by halving."""
        if not keys:
            return
        found = self._oracle.program(Variation.without(keys))
        if found == self._base:
            for key in keys:
                self._settle(key, Verdict.NOT_IN_PROGRAM, found, reason=f"it acts on {self._elsewhere(key)}")
        elif len(keys) == 1:
            self._settle_changed(keys[0], found)
        else:
            middle = len(keys) // 2
            self._outside(keys[:middle])
            self._outside(keys[middle:])

    def _inside(self, key: str) -> None:
        found = self._oracle.program(Variation.without([key]))
        if found == self._base:
            # What an earlier trace left in a cache must never make a live setting look dead.
            found = self._oracle.program(Variation.without([key]), fresh=True)
        if found == self._base:
            self._settle(key, Verdict.DEAD, found)
        else:
            self._settle_changed(key, found)

    def _settle_changed(self, key: str, found: Program | Refusal) -> None:
        if isinstance(found, Refusal):
            self._settle(key, Verdict.REJECTED_WITHOUT, reason=found.message)
        elif found.stablehlo == self._base.stablehlo:
            self._settle(
                key, Verdict.LIVE, found, reason="it changes the order of the devices or compiler options"
            )
        else:
            self._settle(key, Verdict.LIVE, found)

    def _confirm(self, dead: list[str]) -> None:
        """Leave all dead settings out at once; those that only stand in for each other are not dead."""
        for key, partners in redundant_partners(self._oracle, self._base, dead):
            together = ", ".join(partners)
            reason = (
                f"the program stays the same without it only because of {together}; without both it changes"
            )
            self._proofs[key] = replace(
                self._proofs[key], verdict=Verdict.REDUNDANT, masked_by=tuple(partners), reason=reason
            )

    def _control(self) -> None:
        """Lower the launch itself again: a hash that changes by itself proves nothing."""
        self.deterministic = self._oracle.program(Variation(), fresh=True) == self._base
        if self.deterministic:
            return
        for key, proof in self._proofs.items():
            if proof.verdict is Verdict.LIVE:
                reason = (
                    "lowering the unchanged launch again gave another hash, so a difference shows nothing"
                )
                self._proofs[key] = replace(proof, verdict=Verdict.UNTESTED, reason=reason)

    def _explain(self, dead: list[str]) -> None:
        for key in dead:
            proof = self._proofs[key]
            known = self._knowledge.explain(key, self._settings.values)
            if known is not None:
                tried = next((word for word in known.tries if self._acts_with(key, word)), "")
                self._proofs[key] = replace(
                    proof, reason=known.reason, make_live=known.make_live, tried=tried
                )
        unexplained = [key for key in dead if not self._proofs[key].reason]
        for key in unexplained:
            self._proofs[key] = self._like_the_default(key) or self._with_masks(key, dead)

    def _like_the_default(self, key: str) -> DeadSettingProof | None:
        """Return the proof that the key is read, and its written value does what the default does, if so.

        A setting whose other values change the program is not dead, whatever this value does.
        """
        proof, choices = self._proofs[key], self._settings.choices.get(key, ())
        for value in self._knowledge.other_values(key, proof.value, choices):
            word = f"{key}={value}"
            found = self._oracle.program(Variation.without([key], add=[word]))
            if isinstance(found, Program) and found != self._base:
                reason = f"here it does what the default does; {word} would change the program"
                return replace(proof, verdict=Verdict.DEFAULT, reason=reason, tried=word)
        return None

    def _with_masks(self, key: str, dead: Iterable[str]) -> DeadSettingProof:
        others = [
            other
            for other in self._written
            if other != key
            and other not in dead
            and self._verdict(other) is Verdict.LIVE
            and self._elsewhere(other) is None
        ]
        masks = find_masks(self._oracle, key, others)
        if not masks:
            reason = (
                "no other written setting hides it: this model's train step does not read it as it stands"
            )
            return replace(self._proofs[key], reason=reason)
        words = ", ".join(f"{mask}={self._written[mask].value}" for mask in masks)
        return replace(
            self._proofs[key],
            reason=f"hidden by {words}: without that it changes the program",
            make_live=f"leave out {words}",
            masked_by=tuple(masks),
        )

    def _acts_with(self, key: str, word: str) -> bool:
        """Measure whether the setting changes the program once ``word`` is added."""
        changed = word.split("=", 1)[0]
        with_key = self._oracle.program(Variation.without([changed], add=[word]))
        without = self._oracle.program(Variation.without([changed, key], add=[word]))
        return isinstance(with_key, Program) and with_key != without

    def _settle(self, key: str, verdict: Verdict, found: Program | None = None, *, reason: str = "") -> None:
        written = self._written[key]
        self._proofs[key] = DeadSettingProof(
            key=key,
            value=written.value,
            where=written.where,
            verdict=verdict,
            hash_with=self._base.stablehlo if found else "",
            hash_without=found.stablehlo if found else "",
            reason=reason,
        )
        self._on_progress(len(self._proofs), len(self._written))

    def _verdict(self, key: str) -> Verdict | None:
        proof = self._proofs.get(key)
        return proof.verdict if proof else None

    def _rest(self, why: str) -> None:
        """Mark what is not settled."""
        for key, written in self._written.items():
            if key not in self._proofs:
                self._proofs[key] = DeadSettingProof(
                    key, written.value, written.where, Verdict.UNTESTED, reason=why
                )

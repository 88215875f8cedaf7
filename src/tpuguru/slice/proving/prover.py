"""Decide, by running the program with settings left out, what each written setting does."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tpuguru.base.ablation import (
    OutOfBudgetError,
    Program,
    Refusal,
    Variation,
    find_masks,
    redundant_partners,
)
from tpuguru.slice.proving.model import ProgramChange, SettingProof, SettingVerdict
from tpuguru.slice.proving.slice_oracle import SliceOracle
from tpuguru.slice.proving.written import Kind, WrittenSetting

type OnProgress = Callable[[str], None]

_MOST_OTHER_VALUES = 3
_SENT_EQUAL = (
    "what is sent to the compiler is the same with and without it; what it does inside the compiler "
    "only a compile shows (--prove all)"
)


class SettingProver:
    """One command's proof. Every verdict rests on runs."""

    def __init__(
        self, oracle: SliceOracle, settings: Mapping[str, WrittenSetting], *, judged: bool, on: OnProgress
    ) -> None:
        """``judged``: False when the programs differ from run to run, so that a difference shows nothing."""
        self._oracle = oracle
        self._settings = settings
        self._judged = judged
        self._on_progress = on
        self._proofs: dict[str, SettingProof] = {}
        self.interrupted = False

    def run(self) -> list[SettingProof]:
        """Return one proof for each setting, in their order. What the time does not reach is untested."""
        try:
            self._measure()
        except OutOfBudgetError:
            self._rest("the time for proving was used up")
        except KeyboardInterrupt:
            self.interrupted = True
            self._rest("interrupted before it was measured")
        return [self._proofs[key] for key in self._settings]

    def find_harmful(self) -> list[SettingProof]:
        """Return the same for a command that fails: the settings without which it runs are harmful."""
        try:
            self._prepare(self._settings)
            for key in self._settings:
                if isinstance(self._oracle.program(Variation.without([key])), Program):
                    self._settle(key, SettingVerdict.HARMFUL, "the program fails with it and runs without it")
        except OutOfBudgetError:
            pass
        self._rest("the program itself fails, with and without it")
        return [self._proofs[key] for key in self._settings]

    def _measure(self) -> None:
        base = self._oracle.program(Variation())
        if isinstance(base, Refusal):
            self._rest(f"the program failed when it was run again: {base.message}")
            return
        self._base = base
        self._prepare(self._settings)
        for key in self._settings:
            self._alone(key)
        if not self._judged:
            return
        silent = self._silent()
        self._together(silent)
        self._other_values(key for key in silent if self._verdict(key) is SettingVerdict.NO_EFFECT)
        self._masks(key for key in silent if self._verdict(key) is SettingVerdict.NO_EFFECT)

    def _prepare(self, keys: Iterable[str]) -> None:
        self._oracle.prepare(Variation.without([key]) for key in keys)

    def _silent(self) -> list[str]:
        """Return the settings whose absence changes nothing; not flags, which act inside the compiler."""
        return [
            key
            for key, setting in self._settings.items()
            if self._verdict(key) is SettingVerdict.NO_EFFECT and setting.kind is not Kind.FLAG
        ]

    def _alone(self, key: str) -> None:
        variation = Variation.without([key])
        found = self._oracle.program(variation)
        if isinstance(found, Refusal):
            verdict = SettingVerdict.UNTESTED if found.phase == "bound" else SettingVerdict.NEEDED
            self._settle(key, verdict, f"without it: {found.message}")
        elif found == self._base:
            flag = self._settings[key].kind is Kind.FLAG
            verdict = SettingVerdict.UNTESTED if flag else SettingVerdict.NO_EFFECT
            self._settle(key, verdict, _SENT_EQUAL if flag else "", found)
        elif not self._judged:
            self._settle(key, SettingVerdict.UNTESTED, "the programs differ from run to run by themselves")
        else:
            changes = self._changes(variation)
            self._settle(key, SettingVerdict.LIVE, _only_options(changes), found, changes=changes)

    def _changes(self, variation: Variation) -> tuple[ProgramChange, ...]:
        base, other = self._oracle.trace(Variation()), self._oracle.trace(variation)
        return self._oracle.comparer.changes(base, other)

    def _together(self, silent: list[str]) -> None:
        """Leave all silent settings out at once, in a fresh process: some may only stand in for others."""
        if len(silent) == 1:
            self._alone_in_a_fresh_process(silent[0])
        for key, partners in redundant_partners(self._oracle, self._base, silent):
            words = ", ".join(partners)
            reason = f"nothing changes without it only because of {words}; without both something does"
            self._proofs[key] = replace(
                self._proofs[key], verdict=SettingVerdict.REDUNDANT, masked_by=tuple(partners), reason=reason
            )

    def _alone_in_a_fresh_process(self, key: str) -> None:
        found = self._oracle.program(Variation.without([key]), fresh=True)
        if found != self._base:
            reason = "only in a fresh process: the command line is read while modules are imported"
            self._proofs[key] = replace(self._proofs[key], verdict=SettingVerdict.LIVE, reason=reason)

    def _other_values(self, keys: Iterable[str]) -> None:
        """Tell settings that state a default from those that nothing depends on, by trying other values."""
        tries = {key: _other_values(self._settings[key]) for key in keys}
        self._oracle.prepare(
            Variation.without([key], add=[word]) for key, words in tries.items() for word in words
        )
        for key, words in tries.items():
            acting = next((word for word in words if self._acts_with(key, word)), "")
            if acting:
                reason = f"the programs are the same without it, and others with {acting}"
                self._proofs[key] = replace(
                    self._proofs[key], verdict=SettingVerdict.DEFAULT, tried=acting, reason=reason
                )

    def _acts_with(self, key: str, word: str) -> bool:
        found = self._oracle.program(Variation.without([key], add=[word]))
        return isinstance(found, Program) and found != self._base

    def _masks(self, keys: Iterable[str]) -> None:
        live = [key for key in self._settings if self._verdict(key) is SettingVerdict.LIVE]
        for key in keys:
            self._on_progress(f"looking for what hides {key}")
            masks = find_masks(self._oracle, key, live, one_by_one=False)
            if masks:
                words = ", ".join(masks)
                self._proofs[key] = replace(
                    self._proofs[key],
                    verdict=SettingVerdict.MASKED,
                    masked_by=tuple(masks),
                    reason=f"it changes nothing as long as {words} is there; without that it does",
                )

    def _settle(
        self,
        key: str,
        verdict: SettingVerdict,
        reason: str = "",
        found: Program | None = None,
        *,
        changes: tuple[ProgramChange, ...] = (),
    ) -> None:
        setting = self._settings[key]
        self._proofs[key] = SettingProof(
            key=key,
            value=setting.value,
            kind=setting.kind.value,
            verdict=verdict,
            reason=reason,
            changes=changes,
            hash_with=self._base.beside if found else "",
            hash_without=found.beside if found else "",
        )
        self._on_progress(f"{key}: {verdict}")

    def _verdict(self, key: str) -> SettingVerdict:
        return self._proofs[key].verdict

    def _rest(self, why: str) -> None:
        for key, setting in self._settings.items():
            if key not in self._proofs:
                self._proofs[key] = SettingProof(
                    key, setting.value, setting.kind.value, SettingVerdict.UNTESTED, reason=why
                )


def _only_options(changes: Sequence[ProgramChange]) -> str:
    if changes and all(change.how == "options" for change in changes):
        return "the programs are the same; what is asked of the compiler is not"
    return ""


def _other_values(setting: WrittenSetting) -> list[str]:
    """Return words with other values of a setting: its other choices, twice a number, the opposite."""
    if setting.in_environment or not setting.value:
        return []
    values = [value for value in setting.choices if value != setting.value] or _nearby(setting.value)
    return [f"{setting.key}={value}" for value in values[:_MOST_OTHER_VALUES]]


def _nearby(value: str) -> list[str]:
    opposite = {"true": "false", "false": "true"}.get(value.lower())
    if opposite:
        return [opposite.capitalize() if value[0].isupper() else opposite]
    try:
        number = float(value)
    except ValueError:
        return []
    if not math.isfinite(number):
        return []
    if "." in value or "e" in value.lower():
        return [repr(number * 2)]
    return [str(int(number) * 2 or 1)]

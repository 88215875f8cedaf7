"""What a framework's table knows about its settings: where they act, and why some do nothing."""

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tpuguru.base.errors import ToolFailureError
from tpuguru.base.locations import data_directory

_ALTERNATIVES = 4


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Settings that act outside the train step, and where."""

    keys: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    acts_on: str = ""


@dataclass(frozen=True, slots=True)
class DeadReason:
    """Why settings do nothing under a condition, and what would make them act.

    ``when`` and ``unless`` map a resolved key to values; all of ``when`` and none of ``unless`` must hold.
    ``tries`` are words that should make the setting act; the prover measures whether they do.
    """

    keys: tuple[str, ...]
    reason: str
    make_live: str = ""
    when: Mapping[str, list[object]] = field(default_factory=dict)
    unless: Mapping[str, list[object]] = field(default_factory=dict)
    above: Mapping[str, float] = field(default_factory=dict)
    tries: tuple[str, ...] = ()
    source: str = ""

    def applies(self, key: str, values: Mapping[str, object]) -> bool:
        """Tell whether this explains why ``key`` does nothing in the configuration ``values``."""
        if not matches(key, self.keys):
            return False
        if any(values.get(name) not in allowed for name, allowed in self.when.items()):
            return False
        if any(values.get(name) in excluded for name, excluded in self.unless.items()):
            return False
        return all(_number(values.get(name)) > least for name, least in self.above.items())


@dataclass(frozen=True, slots=True)
class SettingKnowledge:
    """The table of one toolchain. A measurement always wins over it."""

    step_groups: frozenset[str] = frozenset()
    elsewhere: tuple[Elsewhere, ...] = ()
    reasons: tuple[DeadReason, ...] = ()
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def other_values(self, key: str, written: str, choices: Iterable[str]) -> list[str]:
        """Return values to try instead of the written one, to see whether the key is read at all."""
        known = [*self.alternatives.get(key, ()), *choices] or _nearby(written)
        return [value for value in dict.fromkeys(known) if value != written][:_ALTERNATIVES]

    def acts_elsewhere(self, key: str, group: str) -> str | None:
        """Return where the setting acts, or may act, outside the train step.

        None when it acts only through it.
        """
        for entry in self.elsewhere:
            if matches(key, entry.keys) or group in entry.groups:
                return entry.acts_on
        if group in self.step_groups:
            return None
        return "outside the train step, for all that is known about it"

    def explain(self, key: str, values: Mapping[str, object]) -> DeadReason | None:
        """Return the first reason of the table that applies."""
        return next((reason for reason in self.reasons if reason.applies(key, values)), None)


def matches(key: str, patterns: Iterable[str]) -> bool:
    """Tell whether ``key`` is one of the patterns (``eval_*``)."""
    return any(fnmatch.fnmatchcase(key, pattern) for pattern in patterns)


def setting_knowledge(framework: str, version: str) -> SettingKnowledge:
    """Read ``toolchains/<framework>-<version>/settings.toml``; empty when the toolchain has none."""
    import msgspec  # noqa: PLC0415

    path = data_directory("toolchains") / f"{framework}-{version}" / "settings.toml"
    if not path.is_file():
        return SettingKnowledge()
    try:
        return msgspec.toml.decode(path.read_bytes(), type=SettingKnowledge)
    except msgspec.MsgspecError as error:
        raise ToolFailureError(f"the settings table {path} cannot be read: {error}") from error


def _nearby(written: str) -> list[str]:
    """Return half and twice a written number; nothing for other texts."""
    try:
        number = float(written)
    except ValueError:
        return []
    if number != int(number) or "." in written or "e" in written.lower():
        return [repr(number * 2), repr(number / 2)]
    return [str(int(number) * 2), str(int(number) // 2)]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")

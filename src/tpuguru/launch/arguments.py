"""Words of a command into settings: ``key=value`` and ``--flag value``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.model import Setting, SettingSource, Word
from tpuguru.launch.source import Traced

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_NUMBER = re.compile(r"-\.?\d")


class Nargs(StrEnum):
    """How many words a flag takes."""

    NONE = "none"
    ONE = "one"
    OPTIONAL = "optional"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class Arguments:
    """Settings in command order (losing duplicates marked), and the words that belong to none."""

    settings: tuple[Setting, ...]
    positionals: tuple[Word, ...] = ()


def mark_overridden(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Give every setting that a later one of the same key replaces the place of the last one."""
    listed = list(settings)
    last = {setting.key: setting for setting in listed}
    return tuple(
        setting
        if last[setting.key] is setting
        else replace(setting, overridden_by=last[setting.key].location or setting.location)
        for setting in listed
    )


def read_key_values(words: Sequence[Word]) -> Arguments:
    """Read ``key=value`` words; a key is kept even when part of its value is unknown."""
    settings, positionals = [], []
    for word in words:
        parts = word.trace.partition("=") if word.trace is not None else None
        if parts is not None and _KEY.fullmatch(parts[0]):
            settings.append(_setting(parts[0], parts[1], word))
        else:
            positionals.append(word)
    return Arguments(mark_overridden(settings), tuple(positionals))


def _setting(key: str, value: Traced, word: Word) -> Setting:
    return Setting(
        key=key,
        text=value.text,
        source=_source(value),
        location=word.location,
        raw=word.raw,
        value_location=_elsewhere(value, word),
        trace=value,
    )


def _source(value: Traced | None) -> SettingSource:
    return SettingSource.FILLED_IN if value is not None and value.filled_in else SettingSource.COMMAND


def _elsewhere(value: Traced | None, word: Word) -> Location | None:
    """Return where the value's text was written, when that is not inside the word itself."""
    place = value.location() if value is not None and value.pieces else None
    if place is None or (place.path == word.location.path and place.line == word.location.line):
        return None
    return place


def normalised_flag(text: str) -> str:
    """Return a flag's key: no leading dashes, ``_`` as ``-``."""
    return text.lstrip("-").replace("_", "-")


def _flag_of(word: Word) -> tuple[str, Traced | None] | None:
    """Return key and attached value of ``--flag`` or ``--flag=value``; None for any other word."""
    if word.trace is None:
        return None
    parts = word.trace.partition("=")
    text = parts[0] if parts else word.text
    if not isinstance(text, str) or not re.fullmatch(r"--?[A-Za-z][\w.-]*", text) or _NUMBER.match(text):
        return None
    return normalised_flag(text), (parts[1] if parts else None)


def read_flags(words: Sequence[Word], nargs: Mapping[str, Nargs] | None = None) -> Arguments:
    """Read flags in the argparse manner (Megatron, SGLang, vLLM).

    ``nargs`` maps a flag's key to how many words it takes. A flag that is not in it takes every word up to
    the next flag, and is marked as guessed.
    """
    settings: list[Setting] = []
    positionals: list[Word] = []
    index = 0
    while index < len(words):
        flag = _flag_of(words[index])
        if flag is None:
            positionals.append(words[index])
            index += 1
            continue
        key, attached = flag
        taken = [] if attached is not None else _taken(words, index + 1, (nargs or {}).get(key))
        settings.append(_flag_setting(key, words[index], attached, taken, guessed=key not in (nargs or {})))
        index += 1 + len(taken)
    return Arguments(mark_overridden(settings), tuple(positionals))


def _taken(words: Sequence[Word], start: int, nargs: Nargs | None) -> list[Word]:
    if nargs is Nargs.NONE:
        return []
    limit = len(words) if nargs in (None, Nargs.MANY) else start + 1
    taken = []
    for word in words[start:limit]:
        if word.text == "--" or (_flag_of(word) is not None and word.raw[:1] not in "'\""):
            break
        taken.append(word)
    return taken


def _flag_setting(
    key: str, flag: Word, attached: Traced | None, taken: list[Word], *, guessed: bool
) -> Setting:
    if attached is not None:
        setting = _setting(key, attached, flag)
        return replace(setting, values=(attached.text,), guessed=guessed)
    values = tuple(word.text for word in taken)
    unknown = next((value for value in values if isinstance(value, Unknown)), None)
    first = taken[0] if taken else None
    filled = any(word.trace is not None and word.trace.filled_in for word in taken)
    return Setting(
        key=key,
        text=unknown or " ".join(str(value) for value in values),
        source=SettingSource.FILLED_IN if filled else SettingSource.COMMAND,
        location=flag.location,
        raw=" ".join((flag.raw, *(word.raw for word in taken))),
        value_location=_elsewhere(first.trace, flag) if first is not None else None,
        values=values,
        guessed=guessed,
        trace=first.trace if len(taken) == 1 and first is not None else None,
    )

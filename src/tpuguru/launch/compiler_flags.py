"""``LIBTPU_INIT_ARGS`` and ``XLA_FLAGS`` as single flags, each with its own place; published flag groups."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from tpuguru.facts.value import Unknown
from tpuguru.launch.arguments import mark_overridden
from tpuguru.launch.model import Setting, SettingSource
from tpuguru.launch.source import Traced

VARIABLES = ("LIBTPU_INIT_ARGS", "XLA_FLAGS")
_GROUP = re.compile(r"(?:[\w.]*\.)?([A-Z][A-Z0-9_]{3,})")


@cache
def flag_groups() -> Mapping[str, tuple[str, ...]]:
    """Return the published groups: name to flags. Source and date are in the data file."""
    path = Path(__file__).with_name("data") / "compiler_flag_groups.json"
    groups: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))["groups"]
    return {name: tuple(flags) for name, flags in groups.items()}


def group_texts() -> dict[str, str]:
    """Return the groups as the texts that a script's unset variables of these names would hold."""
    return {name: " ".join(flags) for name, flags in flag_groups().items()}


def split_compiler_flags(
    settings: Iterable[Setting], variables: Sequence[str] = VARIABLES
) -> tuple[Setting, ...]:
    """Return one setting per flag in the winning value of each variable (or key) of ``variables``.

    The key keeps its dashes; a flag without a value reads ``true``; an unknown part is kept as unknown.
    """
    listed = [setting for setting in settings if setting.key in variables and setting.overridden_by is None]
    flags: list[Setting] = []
    for setting in listed:
        flags.extend(mark_overridden(_flags(setting)))
    return tuple(flags)


def _flags(setting: Setting) -> Iterator[Setting]:
    if setting.trace is None:
        if isinstance(setting.text, str):
            for token in setting.text.split():
                yield from _flag(token, None, setting)
        return
    for word in setting.trace.split():
        yield from _flag(word.text, word, setting)


def _flag(text: str | Unknown, word: Traced | None, setting: Setting) -> Iterator[Setting]:
    place = (word.location() if word is not None else None) or setting.location
    filled = word is not None and word.filled_in
    written = SettingSource.ENVIRONMENT if setting.key in VARIABLES else SettingSource.COMMAND
    source = SettingSource.FILLED_IN if filled else written
    if word is None:
        source = setting.source
    group = _GROUP.fullmatch(text) if isinstance(text, str) else None
    if group and group.group(1) in flag_groups():
        for flag in flag_groups()[group.group(1)]:
            key, _, value = flag.partition("=")
            yield Setting(
                key, value or "true", SettingSource.FILLED_IN, place, group.group(1), via=setting.key
            )
        return
    parts = word.partition("=") if word is not None else None
    if parts is not None:
        key, value_text = parts[0], parts[1].text
    elif isinstance(text, Unknown):
        key, value_text = "", text
    else:
        key, _, after = text.partition("=")
        value_text = after if "=" in text else "true"
    raw = word.shown if word is not None else str(text)
    yield Setting(key, value_text, source, place, raw, via=setting.key, trace=parts[1] if parts else None)

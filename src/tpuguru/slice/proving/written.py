"""The settings that a command line states: options, ``key=value`` words, variables, flags in variables."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tpuguru.base.ablation import Variation
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.proving.options import OptionShape, option_named

FLAG_VARIABLES = ("XLA_FLAGS", "LIBTPU_INIT_ARGS")
"""Variables that hold compiler flags; each flag in them is a setting of its own."""

_ASSIGNMENT = re.compile(r"\+{0,2}[A-Za-z_][\w./-]*=")
_OPTION = re.compile(r"--?[A-Za-z]")


class Kind(StrEnum):
    """Where a setting stands."""

    OPTION = "option"
    ASSIGNMENT = "assignment"
    VARIABLE = "variable"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class WrittenSetting:
    """One setting. ``words`` are its places among the arguments; a setting written twice has both."""

    key: str
    value: str
    kind: Kind
    words: tuple[int, ...] = ()
    variable: str = ""
    choices: tuple[str, ...] = ()

    @property
    def in_environment(self) -> bool:
        """Whether it stands in an environment variable."""
        return self.kind in (Kind.VARIABLE, Kind.FLAG)


def with_inherited_flags(command: ProgramCommand) -> ProgramCommand:
    """Return the command with the compiler flags that it would inherit from our own environment."""
    stated = {name for name, _ in command.variables}
    inherited = [
        (name, os.environ[name]) for name in FLAG_VARIABLES if os.environ.get(name) and name not in stated
    ]
    return replace(command, variables=(*inherited, *command.variables))


def written_settings(command: ProgramCommand, shapes: Sequence[OptionShape]) -> list[WrittenSetting]:
    """Return each setting once, in the order of their first words, those of the environment last.

    ``shapes`` are the options that the program declared to argparse; where it declared none, a word that
    begins with a dash takes the next word as its value when that one does not begin with a dash.
    """
    found: dict[str, WrittenSetting] = {}
    for setting in (*_arguments(command.arguments, shapes), *_variables(command.variables)):
        earlier = found.get(setting.key)
        words = (*earlier.words, *setting.words) if earlier else setting.words
        found[setting.key] = replace(setting, words=words)
    return list(found.values())


def vary(
    command: ProgramCommand, settings: Mapping[str, WrittenSetting], variation: Variation
) -> ProgramCommand:
    """Return the command without the settings ``omit``; those in ``add`` (``key=value``) keep their place."""
    changed = {key: value for key, _, value in (word.partition("=") for word in variation.add)}
    gone = {place for key in variation.omit for place in settings[key].words}
    first = {settings[key].words[0]: key for key in changed if settings[key].words}
    words: list[str] = []
    for place, word in enumerate(command.arguments):
        if place in first:
            words += _spelled(command, settings[first[place]], changed[first[place]])
        elif place not in gone:
            words.append(word)
    return replace(command, arguments=tuple(words), variables=tuple(_kept(command, settings, variation)))


def _spelled(command: ProgramCommand, setting: WrittenSetting, value: str) -> list[str]:
    """Return the setting with another value, spelled as it was."""
    if setting.kind is Kind.ASSIGNMENT or "=" in command.arguments[setting.words[0]]:
        return [f"{setting.key}={value}"]
    return [setting.key, value]


def _arguments(words: Sequence[str], shapes: Sequence[OptionShape]) -> Iterator[WrittenSetting]:
    place = 0
    while place < len(words) and words[place] != "--":
        word = words[place]
        if _OPTION.match(word):
            setting = _option(words, place, shapes)
            place = setting.words[-1]
            yield setting
        elif _ASSIGNMENT.match(word):
            key, _, value = word.partition("=")
            yield WrittenSetting(key, value, Kind.ASSIGNMENT, (place,))
        place += 1


def _option(words: Sequence[str], place: int, shapes: Sequence[OptionShape]) -> WrittenSetting:
    name, equals, value = words[place].partition("=")
    shape = option_named(name, shapes)
    if equals:
        return WrittenSetting(_key(name, shape), value, Kind.OPTION, (place,), choices=_choices(shape))
    end = place + 1
    most = shape.most_values if shape else 1
    while end < len(words) and end - place <= most and not _OPTION.match(words[end]) and words[end] != "--":
        end += 1
    text = " ".join(words[place + 1 : end])
    return WrittenSetting(
        _key(name, shape), text, Kind.OPTION, tuple(range(place, end)), choices=_choices(shape)
    )


def _key(name: str, shape: OptionShape | None) -> str:
    """Return one name for an option's spellings: the one with which it was declared first and longest.

    A boolean's ``--no-x`` stays as written: it is what the user would look for.
    """
    if shape is None or shape.boolean:
        return name
    return max(shape.strings, key=len)


def _choices(shape: OptionShape | None) -> tuple[str, ...]:
    return shape.choices if shape else ()


def _variables(variables: Iterable[tuple[str, str]]) -> Iterator[WrittenSetting]:
    for name, value in variables:
        if name not in FLAG_VARIABLES:
            yield WrittenSetting(name, value, Kind.VARIABLE, variable=name)
            continue
        for flag in split_flags(value):
            key, _, flag_value = flag.partition("=")
            yield WrittenSetting(key, flag_value, Kind.FLAG, variable=name)


def split_flags(text: str) -> list[str]:
    """Return the flags of a variable such as XLA_FLAGS."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _kept(
    command: ProgramCommand, settings: Mapping[str, WrittenSetting], variation: Variation
) -> Iterator[tuple[str, str]]:
    for name, value in command.variables:
        if name in FLAG_VARIABLES:
            gone = {key for key in variation.omit if settings[key].variable == name}
            left = [flag for flag in split_flags(value) if flag.partition("=")[0] not in gone]
            yield name, shlex.join(left)
        elif name not in variation.omit:
            yield name, value

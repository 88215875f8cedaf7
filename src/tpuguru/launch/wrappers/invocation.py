"""A command on its way through the wrappers around it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.launch.context import Context
from tpuguru.launch.model import Setting, SettingSource
from tpuguru.launch.source import Traced

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell


@dataclass(frozen=True, slots=True)
class Exported:
    """One environment variable, with the place of its assignment."""

    name: str
    value: Traced
    location: Location | None = None
    source: SettingSource = SettingSource.ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Invocation:
    """Words and what surrounds them; ``shell`` is the process that would start it, if the paste has one."""

    context: Context
    words: tuple[Traced, ...]
    environment: tuple[Exported, ...] = ()
    target: tuple[Setting, ...] = ()
    wrappers: tuple[str, ...] = ()
    location: Location | None = None
    stdin: Traced | None = None
    shell: "Shell | None" = None

    def text(self, index: int) -> str:
        """Return a word's text, or an empty one when it is unknown or absent."""
        if index >= len(self.words):
            return ""
        text = self.words[index].text
        return text if isinstance(text, str) else ""

    @property
    def program(self) -> str:
        """The first word's last path component."""
        return self.text(0).rsplit("/", 1)[-1]

    def inside(
        self,
        words: tuple[Traced, ...],
        wrapper: str = "",
        *,
        environment: tuple[Exported, ...] | None = None,
        target: tuple[Setting, ...] = (),
    ) -> "Invocation":
        """Return the command that a wrapper runs. ``environment`` replaces the one in force."""
        return replace(
            self,
            words=words,
            wrappers=(*self.wrappers, wrapper) if wrapper else self.wrappers,
            environment=self.environment if environment is None else environment,
            target=self.target + target,
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a wrapper: its name without dashes, and its value when it has one."""

    name: str
    value: Traced
    word: Traced  # where the option is written

    @property
    def text(self) -> str:
        """The value when it is known, else an empty text."""
        return self.value.text if isinstance(self.value.text, str) else ""


def options_of(
    words: tuple[Traced, ...],
    start: int,
    switches: frozenset[str],
    short_switches: str = "",
    attached: str = "",
) -> tuple[list[Option], int]:
    """Read options from ``start`` on: ``--name value``, ``--name=value``, ``-n value``, ``-it``.

    Those in ``switches`` take no value, every other one does; ``attached`` lists the letters whose value may
    follow without a blank (``-oL``). Returns the options and the index of the first
    word that is none; ``--`` ends them and is skipped.
    """
    found: list[Option] = []
    index = start
    while index < len(words):
        word = words[index]
        name, value = _option_name(word)
        if name is None:
            break
        index += 1
        if name == "":
            break
        if value is not None:
            found.append(Option(name, value, word))
        elif (
            (len(name) > 1 and name[0] in attached and not word.shown.startswith("--"))
            or name in switches
            or (len(name) <= 4 and set(name) <= set(short_switches))
        ):
            found.append(Option(name, Traced(), word))
        elif index < len(words):
            found.append(Option(name, words[index], word))
            index += 1
    return found, index


def _option_name(word: Traced) -> tuple[str | None, Traced | None]:
    """Return an option's name and attached value; None for a word that is no option, "" for ``--``."""
    parts = word.partition("=")
    text = parts[0] if parts else word.text
    if not isinstance(text, str) or not text.startswith("-") or text == "-":
        return None, None
    return text.lstrip("-"), (parts[1] if parts else None)


def all_options(words: tuple[Traced, ...], start: int = 0) -> Iterator[Option]:
    """Yield every ``--name value`` and ``--name=value`` among the words, positional words skipped."""
    index = start
    while index < len(words):
        name, attached = _option_name(words[index])
        if name == "":
            return
        if name is not None:
            following = words[index + 1] if index + 1 < len(words) else Traced()
            yield Option(name, attached if attached is not None else following, words[index])
        index += 1


def target_setting(key: str, option: Option) -> Setting:
    """Return a setting of the target that an option states."""
    shown = option.word.shown if "=" in option.word.shown else f"{option.word.shown} {option.value.shown}"
    return Setting(
        key=key,
        text=option.value.text,
        source=SettingSource.FILLED_IN if option.value.filled_in else SettingSource.COMMAND,
        location=option.word.site or option.word.location(),
        raw=shown,
        trace=option.value,
    )


def exported(option: Option, shell: "Shell | None" = None) -> Exported | None:
    """Return the variable that ``-e NAME=VALUE`` or ``-e NAME`` passes on."""
    parts = option.value.partition("=")
    place = option.value.site or option.value.location()
    if parts is not None:
        return Exported(parts[0], parts[1], place)
    if shell is not None and option.text:
        value = shell.scope.text(option.text)
        return Exported(option.text, value, place) if value is not None else None
    return None

"""The flags of a launch, read with a type. What cannot be told raises: a derived fact is then unknown too."""

import re
from collections.abc import Iterable, Iterator

from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.launch.model import Setting, SettingSource

_KINDS = {
    SettingSource.COMMAND: OriginKind.COMMAND,
    SettingSource.ENVIRONMENT: OriginKind.ENVIRONMENT,
    SettingSource.FILE: OriginKind.FILE,
    SettingSource.DEFAULT: OriginKind.DEFAULT,
    SettingSource.FILLED_IN: OriginKind.FILLED_IN,
}
_DEFAULTS = Origin(OriginKind.DEFAULT, "default of Relax, Megatron-LM or SGLang")
_LARGEST = 10**15


class NotKnownError(Exception):
    """A value that the launch does not settle."""

    def __init__(self, reason: str, needs: str = "") -> None:
        """Keep the reason and what would settle it."""
        super().__init__(reason)
        self.unknown = Unknown(reason, needs)


class Flags:
    """The winning settings by key, without dashes."""

    def __init__(self, settings: Iterable[Setting]) -> None:
        """Keep the last setting of each key."""
        self._settings: dict[str, Setting] = {setting.key: setting for setting in settings}

    def __contains__(self, key: object) -> bool:
        return key in self._settings

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def setting(self, key: str) -> Setting | None:
        """Return the winning setting of ``key``."""
        return self._settings.get(key)

    def text(self, key: str, default: str = "") -> str:
        """Return the text of a flag. NotKnownError when only running would tell."""
        setting = self._settings.get(key)
        if setting is None:
            return default
        if isinstance(setting.text, Unknown):
            raise NotKnownError(f"--{key}: {setting.text.reason}", setting.text.needs or f"--{key}")
        return setting.text.strip()

    def integer(self, key: str, default: int | None = None) -> int:
        """Return a flag's whole number. NotKnownError when it is missing without a default, or no number."""
        value = self.number(key, default)
        if value != int(value):
            raise NotKnownError(f"--{key} {value} is not a whole number")
        return int(value)

    def number(self, key: str, default: float | None = None) -> float:
        """Return a flag's number. NotKnownError when it is missing without a default, or no number."""
        if key not in self._settings:
            if default is None:
                raise NotKnownError(f"--{key} is not given", f"--{key}")
            return default
        text = self.text(key)
        try:
            value = float(text.replace("_", ""))
        except ValueError:
            raise NotKnownError(f"--{key} {text[:40]!r} is not a number", f"--{key} with a number") from None
        if not abs(value) <= _LARGEST:  # also false for nan
            raise NotKnownError(f"--{key} {text[:40]} is out of range", f"--{key} with a number")
        return value

    def size(self, key: str, default: int) -> int:
        """Return a parallel size or a count, which is at least 1. NotKnownError."""
        value = self.integer(key, default)
        if value < 1:
            raise NotKnownError(f"--{key} {value} is below 1", f"--{key} of at least 1")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words of a flag that takes several. NotKnownError when one is unknown."""
        setting = self._settings.get(key)
        if setting is None:
            return ()
        if any(isinstance(value, Unknown) for value in setting.values):
            raise NotKnownError(f"a value of --{key} is not known", f"--{key}")
        return tuple(str(value) for value in setting.values)

    def integers(self, key: str) -> tuple[int, ...]:
        """Return the whole numbers of a flag that takes several; other words are left out."""
        return tuple(int(word) for word in self.words(key) if re.fullmatch(r"\d{1,9}", word))

    def origin(self, *keys: str) -> Origin:
        """Return where the first of ``keys`` that is written stands; the defaults when none is."""
        for key in keys:
            setting = self._settings.get(key)
            if setting is not None:
                return Origin(_KINDS[setting.source], f"--{key}", setting.location)
        return _DEFAULTS

    def known_texts(self) -> dict[str, str]:
        """Return every flag whose text is known."""
        return {key: setting.text for key, setting in self._settings.items() if isinstance(setting.text, str)}

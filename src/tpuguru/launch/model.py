"""What a launch says, read from text: commands, words, settings, each with its place."""

from dataclasses import dataclass, field
from enum import StrEnum

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.launch.source import Traced


class SettingSource(StrEnum):
    """Where a setting was written."""

    COMMAND = "command"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"
    FILLED_IN = "filled in"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command after static expansion; ``text`` is Unknown when only running would tell."""

    text: str | Unknown
    location: Location
    raw: str = ""  # as written, before expansion
    trace: Traced | None = field(default=None, compare=False, repr=False)  # where each character was written


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as written.

    ``overridden_by`` is the place of the later duplicate that won, if any; ``value_location`` where the
    value's text stands when it came from a variable defined elsewhere; ``values`` keeps the words of a flag
    that takes several apart; ``via`` names the variable or key that a compiler flag was written in.
    """

    key: str
    text: str | Unknown
    source: SettingSource
    location: Location | None = None
    raw: str = ""  # the spelling in the paste, e.g. ``--tp 4`` or ``steps=30``
    overridden_by: Location | None = None
    value_location: Location | None = None
    values: tuple[str | Unknown, ...] = ()
    via: str = ""
    guessed: bool = False  # how many words the flag takes was guessed, for want of a table
    trace: Traced | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment in a script, kept because it may explain or suppress a finding on the settings it covers."""

    text: str
    location: Location
    covers: tuple[Location, ...] = ()  # the settings it stands beside, or above in one contiguous block
    lines: tuple[int, int] = (0, 0)  # first and last line that it governs; (0, 0) when none


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know: a missing file, an unresolved word, a variant."""

    kind: str  # kebab-case, e.g. ``source-file-missing``
    message: str
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command that the paste would run, with the environment in force where it stands."""

    words: tuple[Word, ...]
    environment: tuple[Setting, ...] = ()
    location: Location | None = None
    wrappers: tuple[str, ...] = ()  # outermost first: «docker run IMAGE», «xpk workload create», «JobSet»
    variant: str = ""  # which branch of a mode switch this is, in the user's words: ``MODE=async``
    target: tuple[Setting, ...] = ()  # device type, slices, node selectors, as the wrappers state them
    settings: tuple[Setting, ...] = ()  # of a configuration file that was pasted on its own (no words then)


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of one framework, normalised. This is what the contract ``launch/v1`` writes."""

    framework: str
    entry_point: str
    settings: tuple[Setting, ...]
    environment: tuple[Setting, ...] = ()
    # From LIBTPU_INIT_ARGS, XLA_FLAGS and flag groups; the key keeps its dashes.
    compiler_flags: tuple[Setting, ...] = ()
    config_path: str = ""
    # Device type, slices, hosts, as stated outside the framework's own settings.
    target: tuple[Setting, ...] = ()
    wrappers: tuple[str, ...] = ()
    variant: str = ""
    location: Location | None = None
    comments: tuple[Comment, ...] = ()
    notes: tuple[Note, ...] = field(default=())

    def setting(self, key: str) -> Setting | None:
        """Return the setting of ``key`` that wins (the last one written), or None."""
        return next((setting for setting in reversed(self.settings) if setting.key == key), None)


@dataclass(frozen=True, slots=True)
class Paste:
    """Everything read from one paste: its commands in order, comments and notes.

    ``launches`` is filled when the paste was already normalised (a ``launch/v1`` document).
    """

    path: str
    text: str
    kind: str  # shell, command, yaml, kubernetes, launch-json
    commands: tuple[Command, ...] = ()
    comments: tuple[Comment, ...] = ()
    notes: tuple[Note, ...] = ()
    launches: tuple[Launch, ...] = ()

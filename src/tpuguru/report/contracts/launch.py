"""The contract ``launch/v1``: what a paste launches, normalised. Every later command takes it as input.

Secrets are redacted. A text that only running would tell is an object with ``reason`` and ``needs``. The
field names are those of ``launch.model``, since the document is read back into it (``launch.json_reader``).
"""

import msgspec

from tpuguru.base.redaction import is_secret_name, redact, redact_value
from tpuguru.facts.value import Unknown
from tpuguru.launch.model import Comment, Launch, Note, Paste, Setting
from tpuguru.report.contracts.common import LocationRecord, ToolRecord, location_record, tool_record


class UnknownRecord(msgspec.Struct, frozen=True):
    """A value that is not known, and what it would take."""

    reason: str
    needs: str = ""


class SettingRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One setting. ``source`` is command, environment, file, default or «filled in»."""

    key: str
    text: str | UnknownRecord
    source: str
    location: LocationRecord | None = None
    raw: str = ""
    overridden_by: LocationRecord | None = None
    value_location: LocationRecord | None = None
    values: tuple[str | UnknownRecord, ...] = ()
    via: str = ""
    guessed: bool = False


class CommentRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A comment and the places of the settings it covers."""

    text: str
    location: LocationRecord
    covers: tuple[LocationRecord, ...] = ()
    lines: tuple[int, int] = (0, 0)


class NoteRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the reader should know: a missing file, a branch not followed."""

    kind: str
    message: str
    location: LocationRecord | None = None


class LaunchRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One launch of one framework."""

    framework: str
    entry_point: str
    settings: tuple[SettingRecord, ...]
    environment: tuple[SettingRecord, ...] = ()
    compiler_flags: tuple[SettingRecord, ...] = ()
    config_path: str = ""
    target: tuple[SettingRecord, ...] = ()
    wrappers: tuple[str, ...] = ()
    variant: str = ""
    location: LocationRecord | None = None
    comments: tuple[CommentRecord, ...] = ()
    notes: tuple[NoteRecord, ...] = ()


class InputRecord(msgspec.Struct, frozen=True):
    """What was pasted."""

    path: str
    kind: str


class LaunchDocument(msgspec.Struct, frozen=True):
    """The document: ``schema`` is ``launch/v1``."""

    schema: str
    tool: ToolRecord
    input: InputRecord
    launches: tuple[LaunchRecord, ...]


def launch_document(paste: Paste, launches: list[Launch]) -> LaunchDocument:
    """Return the document of a paste's launches, secrets redacted."""
    return LaunchDocument(
        schema="launch/v1",
        tool=tool_record(),
        input=InputRecord(redact(paste.path), paste.kind),
        launches=tuple(launch_record(launch) for launch in launches),
    )


def launch_record(launch: Launch) -> LaunchRecord:
    """Convert one launch."""
    return LaunchRecord(
        framework=launch.framework,
        entry_point=redact(launch.entry_point),
        settings=_settings(launch.settings),
        environment=_settings(launch.environment),
        compiler_flags=_settings(launch.compiler_flags),
        config_path=redact(launch.config_path),
        target=_settings(launch.target),
        wrappers=tuple(redact(wrapper) for wrapper in launch.wrappers),
        variant=redact(launch.variant),
        location=location_record(launch.location),
        comments=tuple(_comment(comment) for comment in launch.comments),
        notes=tuple(_note(note) for note in launch.notes),
    )


def _settings(settings: tuple[Setting, ...]) -> tuple[SettingRecord, ...]:
    return tuple(_setting(setting) for setting in settings)


def _setting(setting: Setting) -> SettingRecord:
    return SettingRecord(
        key=setting.key,
        text=_text(setting.key, setting.text),
        source=setting.source.value,
        location=location_record(setting.location),
        raw=_raw(setting),
        overridden_by=location_record(setting.overridden_by),
        value_location=location_record(setting.value_location),
        values=tuple(_text(setting.key, value) for value in setting.values),
        via=setting.via,
        guessed=setting.guessed,
    )


def _raw(setting: Setting) -> str:
    """Return the spelling; of a secret only its name."""
    if is_secret_name(setting.key) and isinstance(setting.text, str) and setting.text in setting.raw:
        return (
            setting.raw.replace(setting.text, redact_value(setting.key, setting.text))
            if setting.text
            else setting.raw
        )
    return redact(setting.raw)


def _text(key: str, text: str | Unknown) -> str | UnknownRecord:
    if isinstance(text, Unknown):
        return UnknownRecord(redact(text.reason), redact(text.needs))
    return redact_value(key, text)


def _comment(comment: Comment) -> CommentRecord:
    place = location_record(comment.location)
    covers = (location_record(location) for location in comment.covers)
    return CommentRecord(
        text=redact(comment.text),
        location=place or LocationRecord("", 1, 1),
        covers=tuple(location for location in covers if location is not None),
        lines=comment.lines,
    )


def _note(note: Note) -> NoteRecord:
    return NoteRecord(note.kind, redact(note.message), location_record(note.location))


CONTRACT = ("launch.v1", LaunchDocument)

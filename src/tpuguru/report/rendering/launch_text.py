"""A normalised launch as plain text: one line a setting, with its place."""

from collections.abc import Iterator

from tpuguru.report.contracts.common import LocationRecord
from tpuguru.report.contracts.launch import (
    LaunchDocument,
    LaunchRecord,
    NoteRecord,
    SettingRecord,
    UnknownRecord,
)


def launch_text(document: LaunchDocument) -> str:
    """Return the text of a whole document, notes last and once."""
    blocks = ["\n".join(_launch(launch)) for launch in document.launches]
    notes = list(dict.fromkeys(note for launch in document.launches for note in launch.notes))
    if notes:
        blocks.append("\n".join(["notes", *(f"  {_note(note)}" for note in notes)]))
    return "\n\n".join(blocks)


def _launch(launch: LaunchRecord) -> Iterator[str]:
    variant = f" ({launch.variant})" if launch.variant else ""
    wrapped = f", inside {' > '.join(launch.wrappers)}" if launch.wrappers else ""
    yield f"{launch.framework}: {launch.entry_point or 'configuration file'}{variant}{wrapped}"
    if launch.config_path:
        yield f"  configuration  {launch.config_path}"
    for title, settings in (
        ("settings", launch.settings),
        ("compiler flags", launch.compiler_flags),
        ("target", launch.target),
        ("environment", launch.environment),
    ):
        if settings:
            yield f"  {title}"
            yield from (f"    {line}" for line in _table(settings))


def _table(settings: tuple[SettingRecord, ...]) -> Iterator[str]:
    rows = [(f"{setting.key}={_value(setting.text)}", _remark(setting)) for setting in settings]
    width = min(max(len(left) for left, _ in rows), 60)
    for left, right in rows:
        yield f"{left:<{width}}  {right}".rstrip()


def _value(text: str | UnknownRecord) -> str:
    return f"? ({text.reason})" if isinstance(text, UnknownRecord) else text


def _remark(setting: SettingRecord) -> str:
    parts = [_place(setting.location)]
    if setting.source == "filled in":
        parts.append("filled in")
    if setting.value_location is not None:
        parts.append(f"value from {_place(setting.value_location)}")
    if setting.overridden_by is not None:
        parts.append(f"overridden by {_place(setting.overridden_by)}")
    return ", ".join(part for part in parts if part)


def _place(location: LocationRecord | None) -> str:
    return f"{location.path}:{location.line}:{location.column}" if location is not None else ""


def _note(note: NoteRecord) -> str:
    place = _place(note.location)
    return f"{place}: {note.message}" if place else note.message

"""The budget after a list of changes: settings dropped or put, then the same reading and estimate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tpuguru.base.errors import UsageError
from tpuguru.frameworks.relax.facts import Subject
from tpuguru.frameworks.relax.flags import NotKnownError
from tpuguru.frameworks.relax.training import training_run
from tpuguru.launch.model import Launch, Setting, SettingSource
from tpuguru.memory.megatron import estimate


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the command: a flag taken away (``text`` None), or put with a value."""

    flag: str
    text: str | None = None


def edited(launch: Launch, edits: Iterable[Edit]) -> Launch:
    """Return the launch after the changes; the script itself is never touched."""
    settings = list(launch.settings)
    for edit in edits:
        settings = [setting for setting in settings if setting.key != edit.flag]
        if edit.text is not None:
            values = tuple(edit.text.split())
            settings.append(Setting(edit.flag, edit.text, SettingSource.FILLED_IN, values=values))
    return replace(launch, settings=tuple(settings))


def peak_of(launch: Launch) -> int | None:
    """Return the bytes on the fullest training GPU, None when the launch does not settle it."""
    subject = Subject.of(launch)
    try:
        return estimate(training_run(subject.flags, subject.model.architecture, subject.resources)).gpu_bytes
    except (NotKnownError, UsageError):
        return None


def changes_anything(launch: Launch, edits: Sequence[Edit]) -> bool:
    """Tell whether the edits change a setting of the launch."""
    return any(_differs(launch.setting(edit.flag), edit) for edit in edits)


def _differs(setting: Setting | None, edit: Edit) -> bool:
    if setting is None:
        return edit.text is not None
    return edit.text is None or setting.text != edit.text

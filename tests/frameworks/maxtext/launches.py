"""Launches built by hand, so that these tests need no reader."""

from tpuguru.base.location import Location
from tpuguru.launch.model import Launch, Setting, SettingSource


def written(key: str, text: str, column: int = 1, source: SettingSource = SettingSource.COMMAND) -> Setting:
    place = Location("run.sh", 1, column, 1, column + len(key) + 1 + len(text))
    return Setting(key, text, source, place, raw=f"{key}={text}")


def launch(*words: str, environment: dict[str, str] | None = None, **more: str) -> Launch:
    """A command line with the ``key=value`` words, each at its column."""
    column = 1
    settings = []
    for word in words:
        key, _, text = word.partition("=")
        settings.append(written(key, text, column))
        column += len(word) + 1
    variables = tuple(
        written(key, text, source=SettingSource.ENVIRONMENT) for key, text in (environment or {}).items()
    )
    return Launch(
        "maxtext",
        "maxtext.trainers.pre_train.train",
        tuple(settings),
        environment=variables,
        config_path=more.get("config", "base.yml"),
    )


def config_file(*words: str) -> tuple[Setting, ...]:
    """Settings of a pasted YAML."""
    pairs = (word.partition("=") for word in words)
    return tuple(written(key, text, source=SettingSource.FILE) for key, _, text in pairs)

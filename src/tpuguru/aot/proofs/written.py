"""The settings that the user wrote, of a job."""

from dataclasses import dataclass

from tpuguru.aot.job import AotJob


@dataclass(frozen=True, slots=True)
class Written:
    """One written setting: the value that wins, and where it stands."""

    key: str
    value: str
    where: str


def written_settings(job: AotJob) -> list[Written]:
    """Return each written key once: overrides win over environment variables, those over the pasted YAML."""
    found: dict[str, Written] = {}
    for key, value in _yaml_settings(job.config_text):
        found[key] = Written(key, value, "config")
    for name, value in job.environment:
        if name.startswith("M_"):
            key = name.removeprefix("M_").lower()
            found[key] = Written(key, value, "environment")
    for key, value in job.overrides:
        found[key] = Written(key, value, "override")
    return list(found.values())


def _yaml_settings(text: str) -> list[tuple[str, str]]:
    if not text.strip():
        return []
    import yaml  # noqa: PLC0415

    try:
        settings = yaml.safe_load(text)
    except yaml.YAMLError:
        return []  # the framework's own reader will refuse it and say why
    if not isinstance(settings, dict):
        return []
    return [(str(key), _short(value)) for key, value in settings.items() if key != "base_config"]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:199] + "…"

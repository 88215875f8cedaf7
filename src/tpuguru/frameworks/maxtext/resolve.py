"""Resolve a launch without a toolchain: base.yml, config file, model file, command line, environment.

The order is pyconfig's own (``_initialize_pydantic``): each layer replaces the one before it. What pyconfig
computes or forbids beyond that needs the toolchain; see ``tpuguru resolve --toolchain``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tpuguru.facts.finding import Finding
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext import refusals
from tpuguru.frameworks.maxtext.defaults import NEWEST, Defaults, Plain, defaults
from tpuguru.frameworks.maxtext.text_values import InvalidValueError, parse_value
from tpuguru.launch.model import Launch, Setting, SettingSource

type Resolved = Plain | Unknown

_ENVIRONMENT_PREFIX = "M_"


@dataclass(slots=True)
class Resolution:
    """The value of every key with where it came from, and what MaxText would refuse."""

    version: str
    values: dict[str, Resolved] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)

    def put(self, key: str, value: Resolved, origin: Origin) -> None:
        """Set a key; a later layer replaces an earlier one."""
        self.values[key] = value
        self.origins[key] = origin


def static_resolve(launch: Launch, version: str = NEWEST) -> Resolution:
    """Resolve from the defaults table. UsageError when there is no table for ``version``."""
    table = defaults(version)
    resolution = Resolution(version)
    for name, key in table.keys.items():
        if key.type != "other" or key.default is not None:
            resolution.put(name, key.default, Origin(OriginKind.DEFAULT, f"base.yml of MaxText {version}"))
    _apply_shipped_config(resolution, launch.config_path, table)
    winners = [setting for setting in launch.settings if setting.overridden_by is None]
    file_settings = [setting for setting in winners if setting.source is SettingSource.FILE]
    overrides = [setting for setting in winners if setting.source is not SettingSource.FILE]
    _apply(resolution, file_settings, table)
    _apply_model(resolution, file_settings, overrides, table)
    _apply(resolution, overrides, table)
    _apply_environment(resolution, launch, overrides, table)
    from tpuguru.frameworks.maxtext.derived import fill_derived  # noqa: PLC0415 - it reads through this module

    fill_derived(resolution)
    return resolution


def with_config(resolution: Resolution, config: Mapping[str, object]) -> Resolution:
    """Return the resolution with what the toolchain's pyconfig gave, and none of the table's refusals.

    Where both agree the origin stays: it leads to the paste or the default file.
    """
    authoritative = Resolution(resolution.version, dict(resolution.values), dict(resolution.origins))
    authoritative.stated = list(resolution.stated)
    for key, value in config.items():
        if not isinstance(value, (bool, int, float, str, list, type(None))):
            continue
        if key not in authoritative.values or not _same(authoritative.values[key], value):
            authoritative.put(
                key, value, Origin(OriginKind.DERIVED, "MaxText's own pyconfig in the toolchain")
            )
    return authoritative


def _same(static: Resolved, resolved: Plain) -> bool:
    return static == resolved or (static in (None, "") and resolved in (None, ""))


def _apply(resolution: Resolution, settings: list[Setting], table: Defaults) -> None:
    for setting in settings:
        _apply_one(resolution, setting, setting.key, table)


def _apply_one(resolution: Resolution, setting: Setting, name: str, table: Defaults) -> None:
    if name == "base_config":
        return
    key = table.keys.get(name)
    if key is None:
        if not table.accepts(name):
            resolution.findings.append(refusals.unknown_key(setting, table))
        return
    resolution.stated.append(name)
    origin = origin_of(setting)
    if isinstance(setting.text, Unknown):
        resolution.put(name, setting.text, origin)
        return
    try:
        resolution.put(name, parse_value(setting.text, key), origin)
    except InvalidValueError as error:
        resolution.findings.append(refusals.invalid_value(setting, str(error), key))
        resolution.put(name, Unknown(f"{setting.text!r} is not {error}"), origin)


def _apply_shipped_config(resolution: Resolution, path: str, table: Defaults) -> None:
    for name in _config_chain(path, table):
        for key, value in table.configs[name].items():
            if key in table.keys:
                origin = Origin(OriginKind.DEFAULT, f"{name} of MaxText {table.version}")
                resolution.put(key, _null(value), origin)


def _config_chain(path: str, table: Defaults) -> list[str]:
    """Return the shipped config files that ``path`` stands for, ancestors first, without base.yml."""
    chain: list[str] = []
    name = shipped_config(path, table)
    while name and name not in chain:
        chain.append(name)
        parent = table.configs[name].get("base_config")
        folder = PurePosixPath(name).parent
        candidates = [str(folder / str(parent)), str(parent)]
        name = next((candidate for candidate in candidates if candidate in table.configs), "")
    return chain[::-1]


def shipped_config(path: str, table: Defaults) -> str:
    """Return the shipped config (relative to MaxText's configs folder) that a path names, or ''."""
    parts = PurePosixPath(path).parts
    tails = ["/".join(parts[start:]) for start in range(len(parts))]
    return next((tail for tail in tails if tail in table.configs), "")


def _apply_model(
    resolution: Resolution, file_settings: list[Setting], overrides: list[Setting], table: Defaults
) -> None:
    model, settings = _model_of(resolution, overrides, table)
    if not settings:
        return
    free = _overrides_allowed(resolution, overrides, table)
    stated = {setting.key: setting for setting in overrides}
    in_file = {setting.key: setting for setting in file_settings}
    for name, raw in settings.items():
        value = _null(raw)
        if name in stated and free:
            continue
        if name in stated and _differs(stated[name], value, table):
            resolution.findings.append(refusals.model_clash(stated[name], model, value))
        if name in in_file and _differs(in_file[name], value, table):
            resolution.findings.append(refusals.replaced_by_model(in_file[name], model, value))
        if name in table.keys:
            origin = Origin(OriginKind.DEFAULT, f"models/{model}.yml of MaxText {table.version}")
            resolution.put(name, value, origin)


def _model_of(
    resolution: Resolution, overrides: list[Setting], table: Defaults
) -> tuple[str, dict[str, Plain]]:
    stated = next((setting.text for setting in reversed(overrides) if setting.key == "model_name"), None)
    name = stated if isinstance(stated, str) else resolution.values.get("model_name")
    if isinstance(stated, Unknown) or not isinstance(name, str):
        return "", {}
    # Instruct models have the architecture of their base model, and pyconfig reads that model's file.
    name = name.replace("-Instruct", "")
    return name, table.models.get(name, {})


def _overrides_allowed(resolution: Resolution, overrides: list[Setting], table: Defaults) -> bool:
    stated = [setting for setting in overrides if setting.key == "override_model_config"]
    if stated and isinstance(stated[-1].text, str):
        try:
            return parse_value(stated[-1].text, table.keys["override_model_config"]) is True
        except InvalidValueError:
            return False
    return resolution.values.get("override_model_config") is True


def _differs(setting: Setting, model_value: Plain, table: Defaults) -> bool:
    if not isinstance(setting.text, str) or setting.key not in table.keys:
        return False
    try:
        return parse_value(setting.text, table.keys[setting.key]) != model_value
    except InvalidValueError:
        return False


def _apply_environment(
    resolution: Resolution, launch: Launch, overrides: list[Setting], table: Defaults
) -> None:
    on_command_line = {setting.key for setting in overrides}
    for setting, name in environment_overrides(launch, table):
        if name in on_command_line:
            resolution.findings.append(refusals.environment_clash(setting, name))
        else:
            _apply_one(resolution, setting, name, table)


def environment_overrides(launch: Launch, table: Defaults) -> Iterator[tuple[Setting, str]]:
    """Yield the ``M_<KEY>`` variables in force, with the key that each sets."""
    known = {_ENVIRONMENT_PREFIX + name.upper(): name for name, key in table.keys.items() if key.in_base}
    for setting in launch.environment:
        name = known.get(setting.key)
        if name is not None and setting.overridden_by is None:
            yield setting, name


def origin_of(setting: Setting) -> Origin:
    """Return the origin that a written setting gives its value."""
    return Origin(OriginKind(setting.source.value), location=setting.location)


def _null(value: Plain) -> Plain:
    return None if isinstance(value, str) and value.lower() == "none" else value

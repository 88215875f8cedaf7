"""Findings for settings that MaxText refuses to start with, each at its place in the paste."""

from tpuguru.base.location import Location
from tpuguru.base.redaction import redact_value
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Category, Evidence, Finding, Level, Severity, Source
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.frameworks.maxtext.defaults import Defaults, Key, Renamed, renamed_keys
from tpuguru.launch.model import Setting

_REPOSITORY = "https://github.com/AI-Hypercomputer/maxtext"


def refusal(
    name: str,
    title: str,
    *,
    message: str = "",
    setting: Setting | None = None,
    fix: str = "",
    sources: tuple[Source, ...] = (),
) -> Finding:
    """Return a critical finding: the launch stops before it reaches a chip."""
    return Finding(
        id=f"maxtext/{name}",
        name=name,
        title=title,
        severity=Severity.CRITICAL,
        level=Level.MECHANISM,
        category=Category.LAUNCH,
        message=message,
        setting=_spelling(setting),
        fix=fix,
        location=setting.location if setting else None,
        evidence=_evidence(setting),
        sources=sources,
    )


def unknown_key(setting: Setting, table: Defaults) -> Finding:
    """Return the finding for a key that this MaxText does not have: renamed, removed or misspelt."""
    renamed = renamed_keys().get(setting.key)
    if renamed is not None:
        return _renamed_key(setting, renamed, table)
    near = did_you_mean(setting.key, table.keys)
    return refusal(
        "unknown-key",
        f"MaxText {table.version} has no key {setting.key!r}",
        message="pyconfig stops with this key before anything is built.",
        setting=setting,
        fix=f"did you mean {' or '.join(near)}?" if near else f"remove {setting.key}",
    )


def _renamed_key(setting: Setting, renamed: Renamed, table: Defaults) -> Finding:
    source = Source(
        f"MaxText commit {renamed.commit}", f"{_REPOSITORY}/commit/{renamed.commit}", renamed.date
    )
    remark = f" ({renamed.note})" if renamed.note else ""
    if not renamed.new:
        return refusal(
            "removed-key",
            f"MaxText {table.version} no longer has the key {setting.key!r}",
            message=f"Removed on {renamed.date}{remark}; pyconfig stops with it.",
            setting=setting,
            fix=f"remove {setting.key}",
            sources=(source,),
        )
    return refusal(
        "renamed-key",
        f"MaxText {table.version} calls {setting.key!r} {' and '.join(renamed.new)}",
        message=f"Renamed on {renamed.date}{remark}; pyconfig stops with the old name.",
        setting=setting,
        fix=" ".join(f"{name}={_text_of(setting)}" for name in renamed.new),
        sources=(source,),
    )


def invalid_value(setting: Setting, takes: str, key: Key) -> Finding:
    """Return the finding for a value of the wrong type, or one that the key does not offer."""
    near = did_you_mean(_text_of(setting), [str(choice) for choice in key.choices])
    if setting.key == "model_name":
        return refusal(
            "unknown-model",
            f"MaxText has no model {_text_of(setting)!r}",
            message=f"model_name takes one of the {len(key.choices)} names that MaxText knows.",
            setting=setting,
            fix=f"did you mean {' or '.join(near)}?" if near else "tpuguru resolve --models lists the names",
        )
    return refusal(
        "invalid-value",
        f"{setting.key} takes {takes}, not {_text_of(setting)!r}",
        setting=setting,
        fix=f"did you mean {' or '.join(near)}?" if near else f"give {setting.key} {takes}",
    )


def model_clash(setting: Setting, model: str, model_value: object) -> Finding:
    """Return the finding for an override of what the model's own file fixes."""
    return refusal(
        "model-value-overridden",
        f"{setting.key}={_text_of(setting)} contradicts models/{model}.yml, which says {model_value}",
        message="pyconfig refuses two different values unless override_model_config is set.",
        setting=setting,
        fix=f"remove {setting.key}, or add override_model_config=True",
    )


def environment_clash(setting: Setting, key: str) -> Finding:
    """Return the finding for a key set both on the command line and as an M_… variable."""
    return refusal(
        "set-twice",
        f"{key} is set on the command line and by the environment variable {setting.key}",
        message="pyconfig refuses a key that both set.",
        setting=setting,
        fix=f"remove {setting.key}",
    )


def replaced_by_model(setting: Setting, model: str, model_value: object) -> Finding:
    """Return the finding for a value in the config file that the model's file silently replaces."""
    return Finding(
        id="maxtext/file-value-replaced",
        name="file-value-replaced",
        title=f"models/{model}.yml replaces {setting.key}: {_text_of(setting)} with {model_value}",
        severity=Severity.WARN,
        level=Level.MECHANISM,
        category=Category.SILENT_FAILURE,
        message="pyconfig merges the config file first, then the model's file, then the command line; "
        "a value in the config file does not survive a model that has its own.",
        setting=_spelling(setting),
        fix=f"give {setting.key}={_text_of(setting)} on the command line with override_model_config=True",
        location=setting.location,
        evidence=_evidence(setting),
    )


def located(message: str, settings: tuple[Setting, ...], *, bare: bool = False) -> Setting | None:
    """Return the setting that a message is about: the written key that it names first, the longest of equals.

    ``bare``: the message names flags without their dashes.
    """
    positions = [
        (message.find(key), -len(key), setting)
        for setting in settings
        if setting.overridden_by is None
        and (key := setting.key.lstrip("-") if bare else setting.key) in message
    ]
    return min(positions, key=lambda found: found[:2])[2] if positions else None


def place_of(setting: Setting | None) -> Location | None:
    """Return where a setting was written."""
    return setting.location if setting else None


def _spelling(setting: Setting | None) -> str:
    if setting is None:
        return ""
    if isinstance(setting.text, str) and setting.text in setting.raw:
        return setting.raw.replace(setting.text, _text_of(setting))
    return f"{setting.key}={_text_of(setting)}"


def _text_of(setting: Setting) -> str:
    return redact_value(setting.key, setting.text) if isinstance(setting.text, str) else "…"


def _evidence(setting: Setting | None) -> tuple[Evidence, ...]:
    if setting is None:
        return ()
    origin = Origin(OriginKind(setting.source.value), location=setting.location)
    name = f"flag {setting.key}" if setting.key.startswith("--") else f"maxtext.config.{setting.key}"
    return (Evidence(name, _text_of(setting), origin),)

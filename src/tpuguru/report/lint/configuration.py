"""``tpuguru.toml``, or ``[tool.tpuguru]`` in ``pyproject.toml``: the nearest one above the input."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Severity
from tpuguru.report.lint.settings import ConfiguredIgnore, LintSettings

_KEYS = ("select", "ignore", "min-severity", "fail-on", "baseline", "output-format", "ignores")
_IGNORE_KEYS = ("rule", "reason", "path", "until")


def find_settings(start: Path) -> LintSettings:
    """Return the settings of the nearest configuration at or above ``start``, or defaults. UsageError."""
    for folder in (start, *start.parents):
        for name, table in (("tpuguru.toml", ()), ("pyproject.toml", ("tool", "tpuguru"))):
            path = folder / name
            if path.is_file():
                found = _read(path, table)
                if found is not None:
                    return _settings(found, path)
    return LintSettings()


def _read(path: Path, table: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if table and b"tool.tpuguru" not in content:  # most pyproject files are not ours; parsing them costs time
        return None
    import tomllib  # noqa: PLC0415

    try:
        document: Any = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not TOML: {error}", location=Location(str(path), 1)) from None
    for key in table:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else None


def _settings(table: Mapping[str, Any], path: Path) -> LintSettings:
    for key in table:
        if key not in _KEYS:
            near = did_you_mean(key, _KEYS)
            raise _fault(path, f"unknown key {key}", f"did you mean {near[0]}?" if near else ", ".join(_KEYS))
    baseline = _text(table, "baseline", path)
    return LintSettings(
        select=_texts(table, "select", path),
        ignore=_texts(table, "ignore", path),
        min_severity=severity(_text(table, "min-severity", path) or "info", f"min-severity in {path}"),
        fail_on=fail_on(_text(table, "fail-on", path) or "critical", f"fail-on in {path}"),
        baseline=path.parent / baseline if baseline else None,
        ignores=tuple(_ignore(entry, path) for entry in _entries(table, path)),
        source=str(path),
        output_formats=_texts(table, "output-format", path),
    )


def severity(text: str, what: str, *others: str) -> Severity:
    """Return a severity. UsageError that names ``what``, and ``others`` that may stand there too."""
    if text not in [member.value for member in Severity]:
        raise UsageError(f"{what} is {text!r}; it is one of {', '.join((*Severity, *others))}")
    return Severity(text)


def fail_on(text: str, what: str) -> Severity | None:
    """Return the severity from which a run fails, or None for ``never``. UsageError."""
    return None if text == "never" else severity(text, what, "never")


def _fault(path: Path, message: str, hint: str = "") -> UsageError:
    return UsageError(f"in the configuration: {message}", location=Location(str(path), 1), help=hint or None)


def _text(table: Mapping[str, Any], key: str, path: Path) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _fault(path, f"{key} must be a text")
    return value


def _texts(table: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = table.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise _fault(path, f"{key} must be a list of texts")
    return tuple(values)


def _entries(table: Mapping[str, Any], path: Path) -> list[Mapping[str, Any]]:
    entries = table.get("ignores", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _fault(path, "ignores must be a list of tables: [[tool.tpuguru.ignores]]")
    return entries


def _ignore(entry: Mapping[str, Any], path: Path) -> ConfiguredIgnore:
    unknown = [key for key in entry if key not in _IGNORE_KEYS]
    if unknown:
        raise _fault(path, f"unknown key {unknown[0]} in an ignore", f"keys: {', '.join(_IGNORE_KEYS)}")
    rule, reason = _text(entry, "rule", path), _text(entry, "reason", path).strip()
    if not rule or not reason:
        raise _fault(path, "an ignore needs `rule` and `reason`")
    until = entry.get("until")
    if until is not None and type(until) is not dt.date:
        raise _fault(path, "until must be a date such as 2027-01-31, without quotes")
    return ConfiguredIgnore(rule, reason, _text(entry, "path", path) or "*", until, Location(str(path), 1))

"""Secrets in what users paste never reach a screen, a log or the run store."""

import re

_SENSITIVE_NAME = (
    r"(?:[A-Za-z0-9_.-]*(?:token|secret|passwd|password|api[_-]?key|access[_-]?key|credential|private[_-]?key)"
    r"[A-Za-z0-9_-]*)"
)

REDACTED = "<redacted>"


def redact(text: str) -> str:
    """Return ``text`` with the values of secrets replaced by ``<redacted>``."""
    return re.sub(rf"(?i)\b({_SENSITIVE_NAME})(\s*[=:]\s*)\S+", rf"\1\2{REDACTED}", text)

"""Take secrets out of a job before it goes anywhere: no compile needs one."""

from dataclasses import replace

from tpuguru.aot.job import AotJob
from tpuguru.base.redaction import redact, redact_value

# A word, not the empty string: an empty value can change which branch a framework takes.
_PLACEHOLDER = "redacted"


def without_secrets(job: AotJob) -> AotJob:
    """Return the job with the values of secret settings and variables replaced, and its YAML redacted."""
    return replace(
        job,
        overrides=tuple((key, _clean(key, value)) for key, value in job.overrides),
        environment=tuple((key, _clean(key, value)) for key, value in job.environment),
        config_text="\n".join(redact_line(line) for line in job.config_text.split("\n")),
    )


def _clean(key: str, value: str) -> str:
    return value if redact_value(key, value) == value else _PLACEHOLDER


def redact_line(line: str) -> str:
    """Return a YAML line with a secret's value replaced, and any other line as it is."""
    key, colon, _ = line.partition(":")
    return f"{key}: {_PLACEHOLDER}" if colon and redact(line) != line else line

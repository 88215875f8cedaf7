"""What a proposal starts from: a log, a stored run's log, or a case file that already knows the answer."""

import hashlib
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.redaction import redact
from tpuguru.facts.finding import Severity, Source
from tpuguru.telemetry.scan import Scan, scan
from tpuguru.telemetry.source import chunks, open_paste

_CASE_SEVERITY = {
    "blocker": Severity.CRITICAL,
    "wrong-result": Severity.CRITICAL,
    "perf": Severity.WARN,
    "caution": Severity.WARN,
    "ok": Severity.INFO,
}


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """The paste, redacted, and what is known about it. ``answer`` and ``title`` are empty for a bare log."""

    path: str
    text: str
    seen: Scan
    source: Source
    title: str = ""
    answer: str = ""
    severity: Severity | None = None


def read_evidence(path: str) -> FaultEvidence:
    """Read a log or a case file. UsageError when it cannot be read, NothingToCheckError when it is empty."""
    if path.endswith(".toml"):
        return _read_case(Path(path))
    with open_paste(path) as file:
        seen = scan(chunks(file, path))
    text = seen.excerpt.text()
    return FaultEvidence(path, text, seen, _local_source(text))


def _read_case(path: Path) -> FaultEvidence:
    try:
        case = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a case file: {error}") from error
    pasted = case.get("input")
    if not isinstance(pasted, str) or not pasted.strip():
        raise UsageError(f"{path} has no text under the key input", help='input = """the paste"""')
    seen = scan([pasted.encode()])
    text = seen.excerpt.text()
    url = str(case.get("url", ""))
    source = Source("field report", url, _today()) if url.startswith("https://") else _local_source(text)
    return FaultEvidence(
        str(path),
        text,
        seen,
        source,
        redact(str(case.get("symptom", ""))),
        redact(str(case.get("expected_answer", ""))),
        _CASE_SEVERITY.get(str(case.get("expected_severity", ""))),
    )


def _local_source(text: str) -> Source:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Source("local evidence, kept beside the rule", f"urn:sha256:{digest}", _today())


def _today() -> str:
    return datetime.now(UTC).date().isoformat()

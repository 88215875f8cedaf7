"""A baseline: findings that were there when it was written do not count; lines may move."""

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.facts.finding import Finding

_SCHEMA = "baseline/v1"


def fingerprint(finding: Finding, occurrence: int = 0) -> str:
    """Return a hash of what the finding is about: rule and setting, not line numbers, not measured values.

    A finding on a default or a derived value, which has no setting of its own, is identified by the facts it
    rests on. ``occurrence`` counts equal ones in one file from 0.
    """
    about = " ".join(finding.setting.split()) or ",".join(evidence.fact for evidence in finding.evidence)
    path = Path(finding.location.path).name if finding.location else ""
    return sha256("\0".join((finding.name, path, about, str(occurrence))).encode()).hexdigest()[:16]


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return the fingerprint of each finding; equal ones are counted apart."""
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        first = fingerprint(finding)
        result.append(fingerprint(finding, seen[first]))
        seen[first] += 1
    return result


def read_baseline(path: Path) -> frozenset[str]:
    """Return the accepted fingerprints. UsageError when the file is missing or not a baseline."""
    try:
        document = json.loads(path.read_bytes())
        if document["schema"] != _SCHEMA:
            raise ValueError("another schema")
        return frozenset(str(entry["fingerprint"]) for entry in document["findings"])
    except OSError as error:
        help_ = "make one with --write-baseline"
        raise UsageError(f"the baseline {path} cannot be read: {error.strerror}", help=help_) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f"{path} is not a baseline of tpuguru", help="make one with --write-baseline"
        ) from None


def baseline_document(accepted: Iterable[tuple[Finding, str]]) -> str:
    """Return the text of a baseline file; rule and setting stand there for people who review it."""
    entries = [
        {"rule": finding.name, "setting": finding.setting, "fingerprint": mark} for finding, mark in accepted
    ]
    entries.sort(key=lambda entry: (entry["rule"], entry["setting"], entry["fingerprint"]))
    return json.dumps({"schema": _SCHEMA, "findings": entries}, indent=2, ensure_ascii=False) + "\n"

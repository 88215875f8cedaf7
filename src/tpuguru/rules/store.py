"""Checked rules kept on disk: a start parses no YAML and checks no types of files that did not change."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from tpuguru import __version__
from tpuguru.base.locations import cache_directory
from tpuguru.facts.finding import Category, Level, Severity, Source
from tpuguru.facts.schema import Field, Vocabulary
from tpuguru.rules.model import Piece, Rule, Status

_SETTLING_NS = 2_000_000_000
"""A file younger than this may change again within one tick of the file system's clock, unnoticed."""


def stamp(path: Path) -> list[int]:
    """Return what changes when a file changes: size, modification and change time, inode."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def settled(stamp_: list[int]) -> bool:
    """Tell whether the file is old enough that its stamp can be trusted to notice the next change."""
    return time.time_ns() - max(stamp_[1], stamp_[2]) > _SETTLING_NS


def vocabulary_key(vocabulary: Vocabulary) -> str:
    """Return a hash of everything the type checker looks at, and of the checker's own files."""
    digest = sha256(__version__.encode())
    for field in vocabulary:
        digest.update(_field_key(field).encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(f"{source.name}{stamp(source)[:2]}".encode())
    return digest.hexdigest()


def _field_key(field: Field) -> str:
    inner = "".join(_field_key(part) for part in field.fields)
    return f"{field.name}\0{field.type.value}\0{field.unit.value}\0{'|'.join(field.choices)}\0{inner}\n"


class RuleStore:
    """The kept rules of one combination of folders, in one JSON file."""

    def __init__(self, roots: tuple[Path, ...], vocabulary: Vocabulary) -> None:
        """Open the store; anything unreadable in it reads as empty."""
        key = sha256("\0".join(str(root) for root in roots).encode()).hexdigest()[:16]
        self._path = cache_directory() / "rules" / f"{key}.json"
        self._key = vocabulary_key(vocabulary)
        self._entries: dict[str, Any] = self._load()
        self._changed = False

    def get(self, path: Path, stamp_: list[int]) -> Rule | None:
        """Return the rule of a file that has not changed since it was checked."""
        entry = self._entries.get(str(path))
        if not entry or entry["stamp"] != stamp_:
            return None
        try:
            return _thaw(entry["rule"], path)
        except (KeyError, TypeError, ValueError):
            return None

    def put(self, path: Path, stamp_: list[int], rule: Rule) -> None:
        """Keep a rule, unless its file is so fresh that a change could go unnoticed."""
        if settled(stamp_):
            self._entries[str(path)] = {"stamp": stamp_, "rule": _freeze(rule)}
            self._changed = True

    def save(self, live: set[str]) -> None:
        """Write what changed, without the files that are gone. A cache that cannot be written is no error."""
        gone = self._entries.keys() - live
        if not self._changed and not gone:
            return
        for path in gone:
            del self._entries[path]
        partial = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps({"key": self._key, "entries": self._entries}), encoding="utf-8")
            partial.replace(self._path)
        except OSError:
            partial.unlink(missing_ok=True)

    def _load(self) -> dict[str, Any]:
        try:
            content = json.loads(self._path.read_bytes())
            entries = content["entries"] if content["key"] == self._key else {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return entries if isinstance(entries, dict) else {}


def _freeze(rule: Rule) -> dict[str, object]:
    values = asdict(rule)
    del values["path"]
    return values


def _thaw(values: Mapping[str, Any], path: Path) -> Rule:
    return Rule(
        **{
            **values,
            "category": Category(values["category"]),
            "severity": Severity(values["severity"]),
            "level": Level(values["level"]),
            "status": Status(values["status"]),
            "applies_to": tuple(values["applies_to"]),
            "anchors": tuple(values["anchors"]),
            "never_with": tuple(values["never_with"]),
            "reads": tuple(values["reads"]),
            "when": Piece(**values["when"]),
            "borderline": Piece(**values["borderline"]) if values["borderline"] else None,
            "unless": Piece(**values["unless"]) if values["unless"] else None,
            "sources": tuple(Source(**source) for source in values["sources"]),
            "path": path,
        }
    )

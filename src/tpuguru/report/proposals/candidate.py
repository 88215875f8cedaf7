"""Write a candidate rule from evidence: trigger, why it qualifies, examples from the redacted paste."""

import re
from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import NothingToCheckError
from tpuguru.facts.finding import Category, Severity, Verdict
from tpuguru.report.diagnosis.build import diagnose_scan
from tpuguru.report.proposals.evidence import FaultEvidence
from tpuguru.report.proposals.telling import excerpt, fixed_phrases, telling_line, without
from tpuguru.rules.catalog import load_catalog

_TODO = "TODO: an expert fills this in."
_STOPS_A_RUN = re.compile(r"error|exhausted|abort|fail|halt|killed|exception|fatal", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule file to be, and why it is worth one."""

    name: str
    markdown: str
    qualifies: str


def candidate(evidence: FaultEvidence) -> Candidate:
    """Return a candidate. NothingToCheckError when a rule catches it already or no line is telling."""
    known = [
        finding.name
        for finding in diagnose_scan(evidence.seen, evidence.path).findings
        if finding.verdict is Verdict.APPLIES and finding.severity is not Severity.INFO
    ]
    if known:
        raise NothingToCheckError(
            f"{evidence.path} is caught already by {', '.join(known)}", help=f"tpuguru explain {known[0]}"
        )
    found = telling_line(evidence.text)
    phrases = fixed_phrases(found[1]) if found else []
    if not found or not phrases:
        raise NothingToCheckError(
            f"{evidence.path} holds no line that would recognise the fault again",
            help="paste the error with its message, or write the rule by hand: tpuguru rules new NAME",
        )
    return _write(evidence, found, phrases)


def _write(evidence: FaultEvidence, found: tuple[int, str], phrases: list[str]) -> Candidate:
    index, line = found
    severity, qualifies = _worth(evidence, line)
    name = _name(evidence.title or phrases[0])
    shown = excerpt(evidence.text, index)
    title = evidence.title or f"Unexplained fault: {phrases[0]}"
    markdown = _PAGE.format(
        id=_free_id(),
        name=name,
        title=_quoted(title),
        category=_category(severity).value,
        severity=severity.value,
        when=", ".join(_quoted(phrase) for phrase in phrases),
        source_title=_quoted(evidence.source.title),
        url=evidence.source.url,
        date=evidence.source.date,
        why=evidence.answer or f"{_TODO} Seen: {_plain(line)}",
        cost=qualifies,
        fix="See Why." if evidence.answer else _TODO,
        bad=_fenced(shown),
        good=_fenced(without(shown, phrases) or "nothing of the kind"),
    )
    return Candidate(name, markdown, qualifies)


def _worth(evidence: FaultEvidence, line: str) -> tuple[Severity, str]:
    """Only silent or expensive faults are worth a rule; say which this is."""
    if evidence.severity is Severity.CRITICAL or _STOPS_A_RUN.search(line):
        return (
            Severity.CRITICAL,
            "Expensive: the run stops, after its slice was reserved and its program compiled.",
        )
    if evidence.severity is Severity.WARN:
        return Severity.WARN, "Silent: nothing fails, so nobody looks."
    return (
        Severity.INFO,
        "Neither silent nor expensive as far as the paste shows: think twice before keeping it.",
    )


def _category(severity: Severity) -> Category:
    return Category.LAUNCH if severity is Severity.CRITICAL else Category.SILENT_FAILURE


def _name(text: str) -> str:
    words = dict.fromkeys(re.findall(r"[a-z][a-z0-9]*", text.lower()))
    return "-".join(list(words)[:7]) or "unexplained-fault"


def _free_id() -> str:
    taken = {rule.id for rule in load_catalog().rules}
    number = 1
    while f"R-U{number:02d}" in taken:
        number += 1
    return f"R-U{number:02d}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def _plain(line: str) -> str:
    """Double the braces, so that a pasted shape is not read as an expression."""
    return line.strip().replace("{", "{{").replace("}", "}}")


def _fenced(text: str) -> str:
    return text.replace("```", "'''").strip("\n")


def save(made: Candidate, evidence: FaultEvidence, folder: Path) -> Path:
    """Write the candidate and its evidence into ``folder``; return the rule file's path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{made.name}.md"
    path.write_text(made.markdown, encoding="utf-8")
    (folder / f"{made.name}.evidence.txt").write_text(evidence.text + "\n", encoding="utf-8")
    return path


_PAGE = """---
id: {id}
name: {name}
title: {title}
category: {category}
severity: {severity}
level: pattern
applies_to: [any]
when: |
  mentions(observed.text, {when})
sources:
  - title: {source_title}
    url: {url}
    date: "{date}"
since: "0.1"
status: preview
---

## Why

{why}

## Cost

{cost}

## Fix

{fix}

## Skip when

The text is quoted from a document, not from a run.

## Examples

### Bad: as pasted

```paste
{bad}
```

### Good: without the telling line

```paste
{good}
```
"""

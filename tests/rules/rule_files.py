"""Rule files made for a test."""

from pathlib import Path

from tests.rules.facts import VOCABULARY

from tpuguru.rules.catalog import Catalog, load_roots

FRONT = """---
id: {id}
name: {name}
title: A title
category: memory
severity: warn
level: mechanism
applies_to: [{framework}]
when: |
  {when}
{extra}sources:
  - {{title: A source, url: "https://example.org/a", date: "2026-01-01"}}
since: "0.1"
---
"""

BODY = """
## Why

It happens.

## Cost

{cost}

## Fix

{fix}

## Skip when

Never.

## Examples

### Bad: one

```facts
job.flag = True
```

### Good: another

```facts
job.flag = False
```
"""


def write_rule(
    folder: Path,
    name: str = "some-rule",
    *,
    identifier: str = "R-X01",
    when: str = "job.flag",
    extra: str = "",
    framework: str = "any",
    cost: str = "Something.",
    fix: str = "Do it.",
    body: str = "",
) -> Path:
    """Write a rule file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    front = FRONT.format(id=identifier, name=name, when=when, extra=extra, framework=framework)
    path.write_text(front + (body or BODY.format(cost=cost, fix=fix)), encoding="utf-8")
    return path


def catalog(folder: Path) -> Catalog:
    """Load the rules of a folder over the test vocabulary."""
    return load_roots([("test", folder)], VOCABULARY)

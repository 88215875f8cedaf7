"""A new rule file that loads as it is and says what to replace."""

from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.rules.catalog import Catalog

_TEMPLATE = """---
id: {identifier}
name: {name}
title: {title}
category: hygiene
severity: warn
level: pattern
applies_to: [{framework}]
when: |
  len(launch.duplicate_settings) > 0
anchor: launch.duplicate_settings
sources:
  - title: where this is written down
    url: https://example.org/replace-me
    date: "2026-01-01"
since: "0.1"
status: preview
---

## Why

The mechanism: what the setting does, and why that is not what was meant.

## Cost

What it costs, computed where facts allow: {{len(launch.duplicate_settings)}} keys are written more than once.

## Fix

The flags to write, with computed values filled in.

## Skip when

When a reader should leave it as it is.

## Examples

### Bad: the smallest launch that must be found

```facts
launch.duplicate_settings = ["steps"]
```

### Good: the same with one thing changed

```facts
...
launch.duplicate_settings = []
```
"""


def scaffold(name: str, folder: Path, framework: str, catalog: Catalog) -> Path:
    """Write a new rule file and return its path. UsageError when the name is taken or not kebab-case."""
    if name in catalog:
        raise UsageError(f"a rule is already called {name}", help=f"see {catalog.rule(name).path}")
    parts = name.split("-")
    if not all(part.isalnum() and part.isascii() and part == part.lower() for part in parts):
        raise UsageError(f"{name} is not kebab-case", help="e.g. remat-key-without-custom-policy")
    path = folder / f"{name}.md"
    text = _TEMPLATE.format(
        identifier=_next_identifier(catalog),
        name=name,
        title=name.replace("-", " ").capitalize(),
        framework=framework,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists already") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    return path


def _next_identifier(catalog: Catalog) -> str:
    """Return the first free id of the letter U, which the shipped catalog leaves to users."""
    number = 1
    while f"R-U{number:02}" in catalog:
        number += 1
    return f"R-U{number:02}"

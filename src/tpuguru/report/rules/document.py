"""The list of rules for programs."""

import json

from tpuguru.rules.catalog import Catalog
from tpuguru.rules.model import Rule


def catalog_json(catalog: Catalog) -> str:
    """Return every rule's front matter as JSON."""
    document = {"schema": "tpuguru/rules/v1", "rules": [_entry(rule) for rule in catalog.rules]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _entry(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "title": rule.title,
        "category": rule.category.value,
        "severity": rule.severity.value,
        "level": rule.level.value,
        "applies_to": list(rule.applies_to),
        "when": rule.when.text,
        "borderline": rule.borderline.text if rule.borderline else None,
        "unless": rule.unless.text if rule.unless else None,
        "since": rule.since,
        "status": rule.status.value,
        "provenance": rule.provenance,
        "sources": [{"title": one.title, "url": one.url, "date": one.date} for one in rule.sources],
    }

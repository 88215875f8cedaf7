"""Write MaxText's defaults table and the facts for its keys, from an installed MaxText.

``python scripts/generate_maxtext.py TOOLCHAIN_PYTHON`` writes them; ``--check`` only says if they differ.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src/tpuguru/frameworks/maxtext/data"
VOCABULARY = ROOT / "src/tpuguru/facts/vocabulary/maxtext_keys.json"
_FACT_TYPES = ("boolean", "integer", "integers", "number", "text", "texts")


def read_package(python: str) -> dict[str, Any]:
    """Ask the toolchain's interpreter for MaxText's table."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TPU_SKIP_MDS_QUERY": "1"}
    done = subprocess.run(
        [python, str(ROOT / "scripts/maxtext_defaults.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env=environment,
    )
    table: dict[str, Any] = json.loads(done.stdout)
    return table


def table_text(table: dict[str, Any]) -> str:
    """Render the table with one key or model a line, so that a new version reads as a diff."""
    parts = []
    for name, value in table.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value[key])}" for key in sorted(value))
            parts.append(f"{json.dumps(name)}: {{\n{lines}\n}}")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def vocabulary_text(tables: list[dict[str, Any]]) -> str:
    """Render the keys of all versions as ``name: [type, choices]``; the newest version's declaration wins."""
    fields: dict[str, list[Any]] = {}
    for table in tables:
        for key, record in table["keys"].items():
            if record["type"] in _FACT_TYPES:
                fields[key] = [record["type"], record.get("choices", [])]
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(fields[key])}" for key in sorted(fields))
    return "{\n" + lines + "\n}\n"


def main() -> int:
    """Write or compare the two files and return the exit status."""
    python, *options = sys.argv[1:]
    table = read_package(python)
    path = DATA / f"defaults-{table['version']}.json"
    others = [
        json.loads(other.read_text()) for other in sorted(DATA.glob("defaults-*.json")) if other != path
    ]
    wanted = {path: table_text(table), VOCABULARY: vocabulary_text([*others, table])}
    if "--check" in options:
        stale = [str(file) for file, text in wanted.items() if not file.exists() or file.read_text() != text]
        print("\n".join(f"{file} is out of date: run scripts/generate_maxtext.py" for file in stale))
        return bool(stale)
    for file, text in wanted.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

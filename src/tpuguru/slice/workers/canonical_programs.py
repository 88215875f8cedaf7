"""Write the text of programs without what is no part of them. Runs in the user's Python, alone.

Each line of the standard input is a JSON object with a ``path``; the answer is one line with the module's
``name`` and the ``path`` of the text, or with ``error``. ``X.program`` is serialised StableHLO: its text has
no locations, nor those that travel inside Mosaic kernels. ``X.pb`` is a compiled module: its text has no
metadata.
"""

import json
import re
import sys
from pathlib import Path

from .module_texts import hlo_text, stablehlo_text

# A Mosaic kernel holds its source locations (file names and lines) in a field beside its code.
_KERNEL_LOCATIONS = re.compile(r"(\\22debug_locations\\22: \\22)[A-Za-z0-9+/=]*(\\22)")
_MODULE_NAME = re.compile(r"(?:module @|HloModule )\"?([^\s,{\"]+)")


def canonical_text(path: Path) -> str:
    """Return the text of a program by which it is compared with another."""
    data = path.read_bytes()
    if path.suffix == ".program":
        return _KERNEL_LOCATIONS.sub(r"\1\2", stablehlo_text(data))
    return hlo_text(data, metadata=False)


def answer(path: Path) -> dict[str, str]:
    """Write the text beside a program, unless it is there, and return where and what it is."""
    target = path.with_name(path.name + ".txt")
    try:
        if not target.is_file():
            part = target.with_suffix(".part")
            part.write_text(canonical_text(path), encoding="utf-8")
            part.replace(target)
        with target.open(encoding="utf-8") as file:
            name = _MODULE_NAME.match(file.readline())
    except Exception as error:  # noqa: BLE001 - another jaxlib's format is an answer
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {"path": str(target), "name": name.group(1) if name else ""}


def main() -> None:
    """Answer until the questions end."""
    for line in sys.stdin:
        print(json.dumps(answer(Path(json.loads(line)["path"]))), flush=True)

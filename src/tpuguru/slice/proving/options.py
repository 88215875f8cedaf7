"""What a program declared to argparse, as the observer in its process noted it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MANY = 1 << 30


@dataclass(frozen=True, slots=True)
class OptionShape:
    """One declared option: its spellings, how many words it can take, the values it allows (if few)."""

    strings: tuple[str, ...]
    most_values: int
    choices: tuple[str, ...] = ()
    boolean: bool = False


def read_options(folder: Path) -> list[OptionShape]:
    """Return every option of every parser that read the command line; none when argparse is not used."""
    try:
        text = (folder / "options.jsonl").read_text(encoding="utf-8")
        return [_shape(each) for line in text.splitlines() for each in json.loads(line)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def read_imports(folder: Path) -> list[str]:
    """Return the modules that the program imported, each once, in order."""
    try:
        text = (folder / "imports").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return list(dict.fromkeys(text.split()))


def option_named(name: str, shapes: Sequence[OptionShape]) -> OptionShape | None:
    """Return the option that argparse would take for ``name``: one of its spellings, or a clear beginning."""
    exact = next((shape for shape in shapes if name in shape.strings), None)
    if exact or not name.startswith("--"):
        return exact
    begun = [shape for shape in shapes if _begins(name, shape.strings)]
    return begun[0] if len(set(begun)) == 1 else None


def _begins(name: str, strings: Iterable[str]) -> bool:
    return any(string.startswith(name) for string in strings)


def _shape(told: dict[str, Any]) -> OptionShape:
    nargs = told["nargs"]
    most = 1 if nargs in (None, "?") else nargs if isinstance(nargs, int) else _MANY
    return OptionShape(tuple(told["strings"]), most, tuple(told["choices"]), bool(told["boolean"]))

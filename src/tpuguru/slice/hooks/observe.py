"""Note what a program imports and which options it declares, for the proof of its settings.

Runs in the user's Python, in the first process that finds the folder in $TPUGURU_SLICE_OBSERVED without
notes. ``imports`` there lists modules in the order in which they were first asked for, ``options.jsonl`` one
line for each argparse parser that read the command line.
"""

import importlib.abc
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any


def observe(folder: Path) -> None:
    """Begin, unless another process of the same run has."""
    try:
        imports = os.open(folder / "imports", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
    except OSError:
        return
    owner = os.getpid()

    def note_import(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import" and os.getpid() == owner:
            os.write(imports, f"{arguments[0]}\n".encode())

    sys.addaudithook(note_import)
    sys.meta_path.insert(0, _ArgparseFinder(folder / "options.jsonl"))


class _ArgparseFinder(importlib.abc.MetaPathFinder):
    """Waits for argparse, which most programs import only when they need it."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:  # noqa: ANN401
        """Find argparse as without us, and watch it once it is loaded."""
        if name != "argparse":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_watch(module: Any) -> None:  # noqa: ANN401
            load(module)
            _watch(module, self._notes)

        spec.loader.exec_module = load_and_watch
        return spec


def _watch(argparse: Any, notes: Path) -> None:  # noqa: ANN401
    parse = argparse.ArgumentParser.parse_known_args

    def parse_and_note(parser: Any, args: Any = None, *rest: Any, **named: Any) -> Any:  # noqa: ANN401
        options = [_described(argparse, action) for action in parser._actions if action.option_strings]  # noqa: SLF001
        with notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(options) + "\n")
        return parse(parser, args, *rest, **named)

    argparse.ArgumentParser.parse_known_args = parse_and_note


def _described(argparse: Any, action: Any) -> dict[str, Any]:  # noqa: ANN401
    try:
        choices = [str(choice) for choice in action.choices or ()]
    except TypeError:  # something that can be asked, not listed
        choices = []
    return {
        "strings": list(action.option_strings),
        "nargs": action.nargs if action.nargs is None or isinstance(action.nargs, int) else str(action.nargs),
        "choices": choices[:100],
        "boolean": isinstance(action, argparse.BooleanOptionalAction),
    }

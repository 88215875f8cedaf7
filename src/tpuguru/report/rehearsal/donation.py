"""Arguments that the step gives back anew without having been donated: they are in memory twice."""

import json
from collections import Counter
from pathlib import Path

from tpuguru.artifacts.hlo.shapes import arrays_of
from tpuguru.slice.records import ProgramRecord


def undonated_bytes(program: ProgramRecord, arguments: tuple[str, ...], folder: Path) -> int | None:
    """Return the bytes (without padding) of arguments that an output could take the place of, and does not.

    An output can when it has the same type and shape; each output is given away once, to donated arguments
    first. None when the record of the outputs cannot be read.
    """
    outputs = _outputs(folder / "facts.json")
    if outputs is None:
        return None
    donated = set(program.donated)
    for number in donated:
        if number < len(arguments):
            outputs[arguments[number]] -= 1
    total = 0
    for number, text in enumerate(arguments):
        if number not in donated and outputs[text] > 0:
            outputs[text] -= 1
            total += sum(array.bytes for array in arrays_of(text))
    return total


def _outputs(path: Path) -> Counter[str] | None:
    try:
        entries = json.loads(path.read_bytes())["outputs"]
        return Counter(f"{each['type']}[{','.join(map(str, each['dims']))}]" for each in entries)
    except (OSError, ValueError, KeyError, TypeError):
        return None

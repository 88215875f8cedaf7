"""Write the text of recorded programs beside their bytes. Runs in the user's Python.

Argument: the folder of programs, which grows until the standard input ends; the rest is written then.
``program.mlir`` is the StableHLO without locations, ``optimized_hlo.txt`` the optimised HLO as XLA prints it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from select import select

from .module_texts import hlo_text, stablehlo_text

_NICENESS = 10
_LOOK_SECONDS = 0.5
_MOST_MEANWHILE = 64
_MOST = 128
"""Programs whose texts are written: an eager program may have thousands."""


def write_texts(folder: Path) -> None:
    """Write both texts of one program; what this jaxlib cannot read stays as bytes."""
    for source, target, read in (
        ("program.mlirbc", "program.mlir", stablehlo_text),
        ("module.hlo.pb", "optimized_hlo.txt", hlo_text),
    ):
        try:
            text = read((folder / source).read_bytes())
        except Exception as error:  # noqa: BLE001 - another jaxlib's format is no reason to stop
            print(f"{folder.name}/{source}: {error}", file=sys.stderr)
            continue
        part = folder / f"{target}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / target)


def whole(programs: Path) -> Iterator[Path]:
    """Yield the folders that are complete: their facts are written last."""
    if programs.is_dir():
        yield from (folder for folder in programs.iterdir() if (folder / "facts.json").is_file())


def weight(folder: Path) -> tuple[bool, int]:
    """Rank programs: those that communicate first, however small, then the big ones."""
    communicates = b'"collectives":true' in (folder / "facts.json").read_bytes()
    return communicates, (folder / "module.hlo.pb").stat().st_size


def ended(seconds: float) -> bool:
    """Wait, and say whether the standard input has ended: nobody writes to it."""
    return bool(select([sys.stdin], [], [], seconds)[0])


def main() -> None:
    """Write what appears, at a low priority; at the end the heaviest of what is left."""
    os.nice(_NICENESS)
    programs = Path(sys.argv[1])
    done: set[Path] = set()
    while not ended(_LOOK_SECONDS):
        for folder in whole(programs):
            if folder not in done and len(done) < _MOST_MEANWHILE:
                write_texts(folder)
                done.add(folder)
    rest = sorted((folder for folder in whole(programs) if folder not in done), key=weight, reverse=True)
    for folder in rest[: _MOST - len(done)]:
        write_texts(folder)

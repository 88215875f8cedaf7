"""Each program of a rehearsal with what the artifact reader says about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tpuguru.artifacts.model import Extract
from tpuguru.base.errors import TpuguruError
from tpuguru.slice.records import Records
from tpuguru.slice.summary import ProgramSummary, Summary

type Say = Callable[[str], None]

_MOST_READ = 128
_TEXT = "optimized_hlo.txt"


@dataclass(frozen=True, slots=True)
class ReadProgram:
    """A program; ``extract`` is None when there was nothing to read, and ``because`` says why."""

    summary: ProgramSummary
    extract: Extract | None
    because: str = ""


def read_programs(records: Records, summary: Summary, say: Say) -> tuple[ReadProgram, ...]:
    """Read the programs in the order of the summary; those beyond the first ones are named as not read."""
    limit = records.clients[0].limit if records.clients else None
    slices = records.clients[0].slices if records.clients else 1
    return tuple(_read(records.folder / "programs", summary, limit or None, slices, say))


def _read(root: Path, summary: Summary, limit: int | None, slices: int, say: Say) -> Iterator[ReadProgram]:
    for number, program in enumerate(summary.programs):
        if number >= _MOST_READ:
            yield ReadProgram(program, None, f"only the {_MOST_READ} biggest programs are read")
            continue
        say(f"reading {program.name} ({number + 1} of {len(summary.programs)})")
        yield _read_one(program, root / program.folder, limit, slices)


def _read_one(program: ProgramSummary, folder: Path, limit: int | None, slices: int) -> ReadProgram:
    from tpuguru.artifacts.extract import extract_folder  # noqa: PLC0415 - not needed for what is not read
    from tpuguru.artifacts.request import ExtractRequest  # noqa: PLC0415

    if not (folder / _TEXT).is_file():
        return ReadProgram(program, None, "its HLO is there only in binary (no jaxlib could turn it to text)")
    try:
        extract = extract_folder(folder, ExtractRequest(hbm_limit_bytes=limit, slices=slices))
    except TpuguruError as error:
        return ReadProgram(program, None, error.message)
    return ReadProgram(program, extract)

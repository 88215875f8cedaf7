"""What becomes of each published launch with the current stack: parses, lowers, compiles; one line each.

    python benchmarks/published_launches.py [--until parse|lower|compile] [--only a01,a19] [--write]

Runs one at a time. ``lower`` takes some seconds a launch, ``compile`` 10 s (out of memory) to 7 min. Answers are kept
in the run store, so that an interrupted table goes on where it stopped. --write puts the table into docs/.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tpuguru.aot.job import Step
from tpuguru.aot.record import RunRecord, RunState
from tpuguru.aot.runs import run
from tpuguru.base.errors import TpuguruError
from tpuguru.base.units import format_bytes
from tpuguru.frameworks.compiling import Compiling, compiling
from tpuguru.frameworks.registry import require_launches
from tpuguru.launch.reader import read_paste_file

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples/maxtext/published"
DOCS = ROOT / "docs/published-launches.md"
# Launches whose scripts name no scheduler and so no slice.
SLICES = {"a12": "v6e-8", "a14": "v5p-128", "a28": "v5e-256"}


@dataclass(frozen=True, slots=True)
class Row:
    """One launch: its name, what happened, and the seconds it took."""

    name: str
    settings: int
    slice: str
    outcome: str
    detail: str
    seconds: float

    def __str__(self) -> str:
        return f"| {self.name} | {self.settings} | {self.slice} | {self.outcome} | {self.detail} | {self.seconds:.1f} |"


def row_of(path: Path, until: str, side: Compiling) -> Row:
    """Read, and when asked lower or compile, one launch."""
    started = time.monotonic()
    key = path.stem.split("-")[0]
    try:
        launch = require_launches(read_paste_file(str(path)))[0]
        target = side.target(launch, SLICES.get(key, ""))
        outcome, detail = "parses", ""
        if until != "parse":
            job = replace(side.plan(launch, target, side.toolchain, 3600.0).job, until=Step(until))
            outcome, detail = described(run(job))
        return Row(
            path.stem, len(launch.settings), target.slice.text, outcome, detail, time.monotonic() - started
        )
    except TpuguruError as error:
        return Row(path.stem, 0, "", "error", error.message, time.monotonic() - started)


def described(record: RunRecord) -> tuple[str, str]:
    """Return the outcome in a word and its figure or reason."""
    if record.failure is not None:
        said = " ".join(record.failure.message.replace("|", "/").split())
        return record.failure.kind.value, said if len(said) < 160 else said[:158] + " …"
    if record.state is RunState.SUCCEEDED and record.memory is not None:
        host = (
            f", {format_bytes(record.memory.host_temporary)} in host memory"
            if record.memory.host_temporary
            else ""
        )
        return "fits", f"{format_bytes(record.memory.fit_bytes)} per device{host}"
    return "lowers", f"StableHLO {record.stablehlo_sha256[:12]}"


def table(until: str, only: list[str]) -> Iterator[str]:
    """Yield the table's lines as they are known."""
    side = compiling("maxtext")
    assert side is not None
    yield "| launch | settings | slice | outcome | detail | seconds |"
    yield "|---|---:|---|---|---|---:|"
    for path in sorted(FOLDER.glob("*.sh")):
        if not only or path.stem.split("-")[0] in only:
            yield str(row_of(path, until, side))


def main() -> None:
    """Print, and with --write keep, the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--until", choices=("parse", "lower", "compile"), default="lower")
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for line in table(arguments.until, [word for word in arguments.only.split(",") if word]):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        head = f"# Published MaxText launches with MaxText 0.2.5 (--until {arguments.until})\n\nMade by benchmarks/published_launches.py.\n\n"
        DOCS.parent.mkdir(exist_ok=True)
        DOCS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

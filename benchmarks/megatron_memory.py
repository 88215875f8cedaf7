"""Compares the Megatron memory estimator with every published measurement, and writes the table of the docs.

python benchmarks/megatron_memory.py            print the table and the time of one estimate
python benchmarks/megatron_memory.py --write    put it into docs/memory-estimator.md
python benchmarks/megatron_memory.py --check    exit 1 when a row is out of tolerance or the docs are out of date
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from tpuguru.base.units import GiB
from tpuguru.memory.megatron import estimate
from tpuguru.memory.megatron.published import NOT_COMPARABLE, published_rows

DOCS = Path(__file__).parents[1] / "docs" / "memory-estimator.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def table() -> str:
    """Return the comparison as Markdown."""
    lines = [
        "| measurement | compared | measured | estimated | deviation | promised |",
        "|---|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| [{row.name}]({row.source}) | {row.compared} | {row.measured / GiB:.2f} GiB "
        f"| {row.estimated() / GiB:.2f} GiB | {row.deviation():+.1%} | ±{row.tolerance:.0%} |"
        for row in published_rows()
    ]
    lines += ["", "Not comparable, since too little of the configuration is published:", ""]
    lines += [f"- {name}: {why}." for name, why in NOT_COMPARABLE]
    return "\n".join(lines)


def written(text: str) -> str:
    """Return the docs' text with the table in its place."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def milliseconds_per_estimate(repeats: int = 200) -> float:
    """Return the time of one estimate of a 48-layer mixture of experts, each with another token budget."""
    run = published_rows()[-1].run
    started = time.perf_counter()
    for step in range(repeats):
        estimate(replace(run, microbatch_tokens=4096 + step))
    return (time.perf_counter() - started) / repeats * 1000


def main() -> int:
    text = DOCS.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        DOCS.write_text(written(text), encoding="utf-8")
    wrong = [row.name for row in published_rows() if abs(row.deviation()) > row.tolerance]
    if "--check" in sys.argv:
        for name in wrong:
            print(f"out of tolerance: {name}")
        if text != written(text):
            print(f"{DOCS.name} is out of date: run benchmarks/megatron_memory.py --write")
        return 1 if wrong or text != written(text) else 0
    print(table())
    print(f"\n{milliseconds_per_estimate():.2f} ms per estimate")
    return 0


if __name__ == "__main__":
    sys.exit(main())

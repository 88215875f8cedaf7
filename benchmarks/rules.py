"""How long 500 rules take over one launch, and how long loading them takes.

    python benchmarks/rules.py [--rules 500] [--rounds 200]

The rules are the shipped ones that read what a launch says, repeated under other names until there are enough;
the launch is a real script with 30 settings. Budget: 500 rules in 5 ms.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.rules.published_launches import published  # noqa: E402

from tpuguru.facts.vocabulary import vocabulary  # noqa: E402
from tpuguru.launch.reader import read_paste  # noqa: E402
from tpuguru.report.lint.run import framework_of, launches_of  # noqa: E402
from tpuguru.rules.catalog import Catalog, load_catalog, load_roots  # noqa: E402
from tpuguru.rules.engine import evaluate  # noqa: E402
from tpuguru.rules.language.parser import parse_expression  # noqa: E402
from tpuguru.rules.model import Piece  # noqa: E402


def milliseconds(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the median wall and CPU milliseconds of ``work``."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return statistics.median(walls), statistics.median(cpus)


def repeated(catalog: Catalog, count: int) -> Catalog:
    """Return ``count`` rules; each copy has a text of its own, so that no compiled expression is shared."""
    said = [rule for rule in catalog.of_framework("maxtext") if "maxtext" in rule.applies_to]
    copies = islice(cycle(said), count)
    return Catalog(
        replace(
            rule,
            id=f"{rule.id}-{number}",
            name=f"{rule.name}-{number}",
            when=Piece(rule.when.text + " " * number),
        )
        for number, rule in enumerate(copies)
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    launch = launches_of(read_paste(published()["a01"], "run.sh"))[0]
    facts = framework_of(launch).facts(launch)
    catalog = repeated(load_catalog(), arguments.rules)
    started = time.perf_counter()
    first = evaluate(catalog, facts)
    print(f"first evaluation, expressions compiled: {1000 * (time.perf_counter() - started):.2f} ms")
    wall, cpu = milliseconds(lambda: evaluate(catalog, facts), arguments.rounds)
    found = len(first.findings)
    print(
        f"{len(catalog)} rules over one launch ({found} findings): {wall:.2f} ms wall, {cpu:.2f} ms CPU (median)"
    )
    texts = [rule.when.text for rule in catalog.rules]
    wall, cpu = milliseconds(lambda: [parse_expression(text) for text in texts], 5)
    print(f"parsing {len(texts)} expressions: {wall:.1f} ms wall, {cpu:.1f} ms CPU")
    with tempfile.TemporaryDirectory() as folder:
        import os  # noqa: PLC0415

        os.environ["XDG_CACHE_HOME"] = folder
        shipped = [("shipped", ROOT / "rules")]
        started = time.perf_counter()
        count = len(load_roots(shipped, vocabulary()))
        print(
            f"loading {count} rule files, nothing kept: {1000 * (time.perf_counter() - started):.0f} ms wall"
        )
        wall, cpu = milliseconds(lambda: load_roots(shipped, vocabulary()), 10)
        print(f"loading {count} rule files, kept: {wall:.1f} ms wall, {cpu:.1f} ms CPU")


if __name__ == "__main__":
    main()

"""Time to answer from the knowledge base as it ships, and with 10,000 claims (goal: search p95 <= 20 ms of CPU).

The large base repeats the shipped claims, each copy with words of its own, so that words are as frequent as in
real pages; the questions are those of tests/knowledge/questions.toml. Run: python benchmarks/knowledge.py
"""

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tpuguru.base.locations import data_directory
from tpuguru.knowledge import KnowledgeBase, open_knowledge
from tpuguru.knowledge.index import build_index
from tpuguru.knowledge.library import Library, read_library

CLAIMS = 10_000
ROUNDS = 3
SEED = 7
GOAL_MILLISECONDS = 20.0


def main() -> int:
    folder, playbooks = data_directory("knowledge"), data_directory("playbooks")
    questions = [
        question["text"]
        for question in tomllib.loads(Path("tests/knowledge/questions.toml").read_text(encoding="utf-8"))[
            "question"
        ]
    ]
    library = read_library(folder, playbooks)
    with tempfile.TemporaryDirectory() as cache:
        build = _milliseconds(lambda: open_knowledge(folder, playbooks, Path(cache)))
        opened = statistics.median(
            _milliseconds(lambda: open_knowledge(folder, playbooks, Path(cache))) for _ in range(20)
        )
        print(f"{len(library.claims)} claims: built and kept in {build:.0f} ms, opened in {opened:.1f} ms")
        _report("shipped", open_knowledge(folder, playbooks, Path(cache)), questions)
    start = time.perf_counter()
    large = KnowledgeBase(build_index(_grown(library)), playbooks)
    print(f"{large.index.size} claims: built in {time.perf_counter() - start:.1f} s")
    p95 = _report("grown", large, questions)
    _cold_start()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return 0 if p95 <= GOAL_MILLISECONDS else 1


def _grown(library: Library) -> Library:
    """Return the library with copies up to CLAIMS claims, every copy with a fifth of its words its own."""
    chance = random.Random(SEED)
    claims = list(library.claims)
    words = [f"term{number}" for number in range(4 * CLAIMS)]
    grown = list(claims)
    while len(grown) < CLAIMS:
        original = claims[len(grown) % len(claims)]
        text = " ".join(
            chance.choice(words) if chance.random() < 0.2 else word for word in original.text.split()
        )
        title = " ".join(
            chance.choice(words) if chance.random() < 0.2 else word for word in original.title.split()
        )
        grown.append(replace(original, id=f"{original.id}-{len(grown)}", title=title, text=text))
    page = replace(library.pages[0], claims=tuple(grown))
    return replace(library, pages=(page, *(replace(other, claims=()) for other in library.pages[1:])))


def _report(name: str, base: KnowledgeBase, questions: list[str]) -> float:
    """Print the times of a search and of a whole answer; return the search's 95th percentile (CPU ms)."""
    p95 = 0.0
    for what, call in (("search", base.search), ("answer", base.answer), ("route", base.route)):
        _ = [call(question) for question in questions[:10]]
        measured = [_wall_and_cpu(partial(call, question)) for _ in range(ROUNDS) for question in questions]
        walls, cpus = sorted(wall for wall, _ in measured), sorted(cpu for _, cpu in measured)
        high = int(0.95 * len(measured))
        p95 = cpus[high] if what == "search" else p95
        print(
            f"  {name} {what}: wall p50 {statistics.median(walls):.2f} p95 {walls[high]:.2f} ms; "
            f"CPU p50 {statistics.median(cpus):.2f} p95 {cpus[high]:.2f} worst {cpus[-1]:.2f} ms"
        )
    return p95


def _cold_start() -> None:
    """Print what one `tpuguru ask` costs from the shell, index already kept."""
    command = [sys.executable, "-m", "tpuguru.cli.main", "ask", "why is my KV cache too small"]
    walls, cpus = [], []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(_milliseconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    print(
        f"  tpuguru ask, cold: median {statistics.median(walls[1:]):.0f} ms wall, "
        f"{statistics.median(cpus[1:]):.0f} ms CPU"
    )


def _wall_and_cpu(call: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    raise SystemExit(main())

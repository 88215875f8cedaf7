"""Measure a proof of settings: variations a minute, forked and with a process each, and that both agree.

    python benchmarks/prove_any.py --python TOOLCHAIN_PYTHON [--flax]

Ends with 1 when the verdicts differ, or when fewer than ten variations a minute of CPU time are proved.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_PROGRAMS = Path(__file__).parents[1] / "tests" / "slice" / "programs"
_WORDS = {
    "settings.py": "--data x --run-name a --lr 0.5 --layers 2 --remat=full --attention full --window 8 --old-flag yes",
    "flax_settings.py": "--lr 0.01 --schedule cosine --steps 4 --width 64 --dropout 0.1 --run-name a",
}
_LEAST_A_MINUTE = 10


def prove(python: str, program: str, state: str, *, fork: bool) -> tuple[dict[str, Any], float, float]:
    """Prove a program's settings; return the report with wall and CPU seconds."""
    options = ["--slice", "v6e:2x2", "--yes", "--output-format", "json", "--prove", "--"]
    # What a shell script starts cannot be forked; its interpreter is looked for on the PATH.
    command = [python] if fork else [str(_wrapper(python, state))]
    words = [str(_PROGRAMS / program), *_WORDS[program].split()]
    begun, before = time.monotonic(), _cpu_seconds()
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru", "rehearse", *options, *command, *words],
        env=os.environ | {"XDG_STATE_HOME": state, "PATH": f"{Path(python).parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return json.loads(done.stdout), time.monotonic() - begun, _cpu_seconds() - before


def _wrapper(python: str, state: str) -> Path:
    script = Path(state) / "start"
    script.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--flax", action="store_true", help="also a flax module trained with optax")
    arguments = parser.parse_args()
    failed = False
    for program in _WORDS if arguments.flax else ["settings.py"]:
        verdicts = []
        for fork in (True, False):
            with tempfile.TemporaryDirectory() as state:
                report, wall, cpu = prove(arguments.python, program, state, fork=fork)
            rate = 60 * report["runs"] / cpu
            print(
                f"{program} {'forked' if fork else 'a process each'}: {report['runs']} runs "
                f"({report['forked']} forked) in {wall:.0f} s wall, {cpu:.0f} s CPU: {rate:.0f} a CPU minute"
            )
            verdicts.append({setting["key"]: setting["verdict"] for setting in report["settings"]})
            failed |= fork and (rate < _LEAST_A_MINUTE or not report["forked"])
        print(f"  {verdicts[0]}")
        if verdicts[0] != verdicts[1]:
            print(f"  with a process each: {verdicts[1]}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

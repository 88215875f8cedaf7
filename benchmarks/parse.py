"""How long reading a paste takes: a Relax-sized script in this process, and the cold command.

Usage: python benchmarks/parse.py
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tpuguru.launch.reader import read_paste_file

_ROUNDS = 20
_COLD_ROUNDS = 5


def relax_sized(folder: Path) -> Path:
    """Write a launch script of 300 lines that sources two files, in the usual shape; return its path."""
    for name in ("entrypoint", "models", "training"):
        (folder / name).mkdir()
    models = "\n".join(f"   --model-option-{index} {index}" for index in range(40))
    (folder / "models" / "m.sh").write_text(
        f"LAYERS=36\nMODEL_ARGS=(\n{models}\n   --num-layers $LAYERS\n)\n"
    )
    (folder / "entrypoint" / "local.sh").write_text(
        'D="$(cd "$(dirname "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd)"\n'
        'export MODEL_CONFIG_DIR="$D/../models"\nexport RUNTIME_ENV_JSON="{\\"env_vars\\": {\\"A\\": \\"${A:-1}\\"}}"\n'
    )
    lines = [
        "#!/bin/bash",
        "set -ex",
        'SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"',
        'if [ -z "${ENTRYPOINT_MODE:-}" ]; then source "${SCRIPT_DIR}/../entrypoint/local.sh"; fi',
        'source "${MODEL_CONFIG_DIR}/m.sh"',
    ]
    groups = 10
    for group in range(groups):
        lines.append(f"GROUP{group}_ARGS=(")
        lines += [f"   --group-{group}-option-{index} ${{V{index}:-{index}}} # why" for index in range(26)]
        lines += [")", ""]
    lines.append(
        'ray job submit --runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 -m relax.entrypoints.train \\'
    )
    lines.append('   --resource \'{"actor": [1, 8]}\' "${MODEL_ARGS[@]}" \\')
    lines.append(
        "   " + " ".join(f'"${{GROUP{group}_ARGS[@]}}"' for group in range(groups)) + " 2>&1 | tee log"
    )
    path = folder / "training" / "run.sh"
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = relax_sized(Path(name))
        words = len(read_paste_file(str(path)).commands[0].words)
        times = []
        for _ in range(_ROUNDS):
            started = time.process_time()
            read_paste_file(str(path))
            times.append(time.process_time() - started)
        print(
            f"in process: {len(path.read_text().splitlines())} lines, {words} words: {median(times) * 1e3:.1f} ms CPU"
        )
    command = "python3 -m maxtext.trainers.pre_train.train base.yml steps=3"
    for label, arguments in (
        ("tpuguru --version", ["--version"]),
        ("tpuguru parse --command …", ["parse", "--command", command]),
    ):
        wall, before = [], resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(_COLD_ROUNDS):
            started = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "tpuguru.cli.main", *arguments], check=True, capture_output=True
            )
            wall.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / _COLD_ROUNDS
        print(f"cold {label}: {median(wall) * 1e3:.0f} ms wall, {cpu * 1e3:.0f} ms CPU")


if __name__ == "__main__":
    main()

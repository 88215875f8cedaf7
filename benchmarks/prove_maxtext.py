"""Prove the settings of MaxText's real trainer as those of any program, and compare with MaxText's own proof.

    python benchmarks/prove_maxtext.py --python TOOLCHAIN_PYTHON

``tpuguru prove`` lowers the train step from the pasted launch; ``tpuguru rehearse --prove`` runs the trainer
on a virtual slice. Ends with 1 when one says that a setting changes the program and the other that it does not.
"""

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from typing import Any

_SLICE = "v6e-4"
_WORDS = (
    "run_name=proof dataset_type=synthetic steps=2 enable_checkpointing=false per_device_batch_size=1 "
    "max_target_length=128 base_emb_dim=128 base_mlp_dim=256 base_num_decoder_layers=2 vocab_size=512 "
    "attention=dot_product sa_block_q=256 remat_policy=full learning_rate=1e-4 "
    "gradient_clipping_threshold=0.5 ici_fsdp_parallelism=-1"
)
_TRAINER = "maxtext.trainers.pre_train.train"
# What each prover calls a setting without which the train step is another program, or is refused.
_ACTS = {"live", "needed", "rejected-without"}
_UNKNOWN = {"untested"}


def run(words: list[str], given: str = "") -> tuple[Any, float, float]:
    """Run tpuguru; return what it printed, with wall and CPU seconds."""
    begun, before = time.monotonic(), _cpu_seconds()
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru", *words],
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return json.loads(done.stdout), time.monotonic() - begun, _cpu_seconds() - before


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_running(python: str, folder: str) -> tuple[dict[str, Any], float, float]:
    """Prove by running the trainer."""
    command = [python, "-m", _TRAINER, *shlex.split(_WORDS), f"base_output_directory={folder}"]
    options = ["--slice", _SLICE, "--yes", "--output-format", "json", "--budget", "420", "--prove"]
    return run(["rehearse", *options, "--", *command])


def by_lowering(folder: str) -> tuple[dict[str, Any], float, float]:
    """Prove from the pasted launch."""
    paste = f"python3 -m {_TRAINER} {_WORDS} base_output_directory={folder}\n"
    return run(["prove", "-", "--slice", _SLICE, "--quiet", "--output-format", "json"], paste)


def main() -> int:
    """Prove in both ways and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        ran, ran_wall, ran_cpu = by_running(arguments.python, folder)
        lowered, lowered_wall, lowered_cpu = by_lowering(folder)
    print(
        f"by running: {ran['runs']} runs ({ran['forked']} forked), {ran_wall:.0f} s wall, {ran_cpu:.0f} s CPU"
    )
    print(f"by lowering: {lowered['lowered']} programs, {lowered_wall:.0f} s wall, {lowered_cpu:.0f} s CPU")
    told = {proof["key"]: proof["verdict"] for proof in lowered["proofs"]}
    disagreed = 0
    for setting in ran["settings"]:
        one, other = setting["verdict"], told.get(setting["key"], "untested")
        compared = not {one, other} & _UNKNOWN
        differs = compared and (one in _ACTS) != (other in _ACTS)
        disagreed += differs
        print(f"  {setting['key']:32} {one:12} {other:18} {'DIFFERS' if differs else ''}")
    return int(disagreed > 0)


if __name__ == "__main__":
    sys.exit(main())

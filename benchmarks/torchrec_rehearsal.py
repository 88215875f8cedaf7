"""TorchRec's EmbeddingBagCollection on TorchTPU on a virtual chip: training steps, compared with PyTorch's CPU.

    python benchmarks/torchrec_rehearsal.py --python PYTHON

PYTHON needs torch 2.13.0, torch_tpu 0.2.0, torchrec 1.9.2 and fbgemm-gpu-cpu 1.8.0, installed after TorchRec and in
place of the fbgemm-gpu that it brings, whose libraries want CUDA.
"""

import argparse
from pathlib import Path

from rehearsals import PROGRAMS, Checks
from torch_steps import compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--seconds", type=int, default=900)
    arguments = parser.parse_args()
    checks = Checks()
    python = Path(arguments.python).absolute()  # not resolved: an environment is known by the link
    compare(python, [str(PROGRAMS / "torchrec_step.py")], arguments.seconds, checks)
    checks.finish()


if __name__ == "__main__":
    main()

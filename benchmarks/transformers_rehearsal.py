"""Transformers' models on TorchTPU on a virtual chip: training steps and generate() of six architectures.

    python benchmarks/transformers_rehearsal.py [--only llama,bert] [--python PYTHON]

Each model is made from its configuration with two small layers and eager attention, whose values are known, trained for
three steps with AdamW, and asked to generate. Losses are compared with the same program on PyTorch's CPU.
Without --python an environment is made with uv and removed afterwards (about 6 GB).
"""

import argparse

from rehearsals import PROGRAMS, Checks, environment
from torch_steps import compare

PACKAGES = ("torch==2.13.0", "torch_tpu==0.2.0", "transformers==5.24.0", "jax==0.12.0.1", "libtpu==0.0.52")
ARCHITECTURES = ("llama", "qwen3", "qwen3_moe", "gpt2", "bert", "vit")
UNSETTLED = {"qwen3_moe"}  # an expert's arrays are as long as it has tokens, which changes with each step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(ARCHITECTURES))
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=int, default=900)
    arguments = parser.parse_args()
    checks = Checks()
    with environment(arguments.python, *PACKAGES) as python:
        for name in arguments.only.split(","):
            print(f"{name}:", flush=True)
            program = [str(PROGRAMS / "transformers_step.py"), name]
            compare(python, program, arguments.seconds, checks, settles=name not in UNSETTLED)
    checks.finish()


if __name__ == "__main__":
    main()

"""vLLM's own server on a virtual TPU slice: it starts, answers, and the memory it announces is what we counted.

    python benchmarks/vllm_rehearsal.py [--stack vllm-tpu|vllm-torchtpu] [--slice tpu7x:2x2x1 --tensor-parallel 8]
                                        [--layers 28] [--python PYTHON]

Weights are vLLM's own dummies. Without --python an environment for vllm-tpu is made with uv and removed afterwards
(9 GB). vllm-torchtpu needs --python: no resolver agrees to its torchvision and xgrammar beside torch 2.13, so that they
are installed after it with --no-deps.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rehearsals import PROGRAMS, Checks, Run, environment, log_lines, rehearse_marked, told

from tpuguru.slice.plan import free_port

PACKAGE = "vllm-tpu==0.32.0"
BUCKETS = ("--max-model-len", "1024", "--max-num-seqs", "8", "--max-num-batched-tokens", "256")
KV_HEADS, HEAD_SIZE, BYTES = 8, 128, 2  # of Qwen3-0.6B, in bfloat16
GIB = 2**30
ANNOUNCED_TO_GIB = 0.02  # the engine prints hundredths, and makes a few small arrays later


def kv_bytes(tokens: int, tensor_parallel: int, layers: int) -> int:
    """Bytes of so many tokens' keys and values on one device: each holds its share of the heads, at least one."""
    return tokens * layers * 2 * -(-KV_HEADS // tensor_parallel) * HEAD_SIZE * BYTES


def cache_bytes(run: Run, layers: int) -> int:
    """Bytes of the step's arguments that are caches: the biggest type, of which there is one a layer."""
    step = max(run.report["programs"], key=lambda each: each["arguments"])
    counted = Counter(step["argument_types"])
    sizes = [bytes_of(each) for each, count in counted.items() if count == layers]
    return layers * max(sizes, default=0)


def bytes_of(array: str) -> int:
    """Bytes of «bf16[2,128]», without padding."""
    kind, _, shape = array.rstrip("]").partition("[")
    return math.prod(int(size) for size in shape.split(",") if size) * int(re.sub(r"\D", "", kind) or 8) // 8


def live_bytes(run: Run) -> int:
    """The most that arrays alone held on one device, of the memory timeline."""
    devices = run.report["timeline"]["devices"]
    return max((point["live"] for device in devices for point in device["points"]), default=0)


def announced(run: Run, what: str) -> str:
    pattern = re.compile(what)
    return next((found[1] for line in log_lines(run) if (found := pattern.search(line))), "")


def serve(arguments: argparse.Namespace, python: Path, folder: str) -> tuple[Run, list[str]]:
    model = Path(folder) / "model"
    subprocess.run([python, PROGRAMS / "tiny_model.py", model, str(arguments.layers)], check=True)
    port = str(free_port())
    vllm = [str(python.parent / "vllm"), "serve", str(model), "--port", port, "--load-format", "dummy"]
    server = [*vllm, *BUCKETS, "--tensor-parallel-size", str(arguments.tensor_parallel)]
    asker = [str(python), str(PROGRAMS / "serve_and_ask.py"), port, str(model), str(arguments.seconds - 30)]
    os.environ["VLLM_NO_USAGE_STATS"] = "1"
    # Where logits are not known they are NaN, which no JSON can hold: an answer with logprobs would be an error.
    options = ("--unknown", "zero", "--timeout", str(arguments.seconds))
    return rehearse_marked(arguments.slice, [*asker, "--", *server], *options)


def show(run: Run) -> None:
    programs, late = run.report["programs"], run.report["late_compiles"]
    print(f"  engine: {announced(run, r'(init engine .*)') or 'said nothing of its start'}")
    seconds = run.report["compile_seconds"]
    print(f"  {len(programs)} programs, {seconds:.1f} s of compiling, {len(late)} programs after ready")
    for each in late:
        print(f"    late: {each['name']} {each['seconds']:.2f} s  {each['change']}")
    big = max(programs, key=lambda each: each["peak"])
    parts = ", ".join(
        f"{part} {big[part] / 2**20:.1f}" for part in ("arguments", "temporaries", "peak", "code")
    )
    print(f"  biggest program {big['name']}, MiB: {parts}")
    print(f"  peak {run.peak / GIB:.3f} of {run.report['devices'][0]['limit'] / GIB:.2f} GiB per device")


def check_answers(run: Run, checks: Checks) -> None:
    answers = {each["question"]: each["status"] for each in told(run)}
    for question in ("greedy", "sampled", "chat"):
        checks.expect(f"{question} request is answered", answers.get(question) == 200, answers.get(question))
    print(f"       a request with «seed» got {answers.get('seed')}")
    checks.expect("ready was recognised", run.report["ready"])


def check_memory(run: Run, tensor_parallel: int, layers: int, checks: Checks) -> None:
    tokens = int(announced(run, r"KV cache size: ([\d,]+) tokens").replace(",", "") or 0)
    expected, caches = kv_bytes(tokens, tensor_parallel, layers), cache_bytes(run, layers)
    detail = f"{tokens:,} tokens are {expected:,} bytes a device; the step's caches have {caches:,}"
    checks.expect("KV tokens announced are the step's caches", tokens and expected == caches, detail)
    weights = float(announced(run, r"total_hbm_used_gb=([\d.]+)GiB") or 0) / tensor_parallel
    live, caches_gib = live_bytes(run) / GIB, caches / GIB
    detail = f"{live:.3f} GiB a device = caches {caches_gib:.3f} + weights {weights:.3f} announced"
    together = abs(live - caches_gib - weights) < ANNOUNCED_TO_GIB
    checks.expect("arrays alive are the caches and the weights announced", together, detail)
    checks.expect("the peak is below the device's memory", 0 < run.peak < run.report["devices"][0]["limit"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stack", choices=["vllm-tpu", "vllm-torchtpu"], default="vllm-tpu")
    parser.add_argument("--slice", default="tpu7x:2x2x1")
    parser.add_argument("--tensor-parallel", type=int, default=8)
    parser.add_argument("--layers", type=int, default=28)
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=int, default=1800)
    arguments = parser.parse_args()
    if arguments.stack == "vllm-torchtpu" and not arguments.python:
        parser.error("vllm-torchtpu needs --python")
    checks = Checks()
    with environment(arguments.python, PACKAGE) as python, tempfile.TemporaryDirectory() as folder:
        run, left = serve(arguments, python, folder)
        title = f"{arguments.layers} layers, TP={arguments.tensor_parallel} on {arguments.slice}"
        print(f"{arguments.stack}, {title}:")
        if not run.report["programs"]:
            sys.exit(f"no program was compiled; the end of the output:\n{run.output[-3000:]}")
        show(run)
        check_answers(run, checks)
        check_memory(run, arguments.tensor_parallel, arguments.layers, checks)
        checks.expect("it ended in order", run.code == 0, run.report["ending"]["reason"] or run.code)
        checks.expect("nothing is left running", not left, left or "")
    checks.finish()


if __name__ == "__main__":
    main()

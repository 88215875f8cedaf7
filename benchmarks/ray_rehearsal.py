"""Ray's JaxTrainer on a virtual TPU slice: one host that Ray finds by itself, and four hosts of a 4x4 slice.

    python benchmarks/ray_rehearsal.py [--hosts 1|4] [--python PYTHON]

Without --python an environment is made with uv and removed afterwards (about 1.5 GB). Losses are compared between the
two runs; no raylet, worker or other process of Ray may be alive after either.
"""

import argparse
import tempfile
from pathlib import Path

from rehearsals import PROGRAMS, Checks, Run, environment, log_lines, rehearse_marked, told

PACKAGES = ("ray[default,train]==2.60.0", "jax==0.12.0.1", "jaxlib==0.12.0.1", "libtpu==0.0.52")
SLICES = {1: ("v6e:2x2", "2x2"), 4: ("v6e:4x4", "4x4")}
CHIPS_OF_A_HOST = 4


def train(python: Path, hosts: int, seconds: int, checks: Checks) -> Run:
    tpu, topology = SLICES[hosts]
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), str(PROGRAMS / "ray_trainer.py"), topology, str(hosts), folder]
        run, left = rehearse_marked(tpu, command, "--timeout", str(seconds))
    checks.expect("nothing of Ray is left running", not left, left or "")
    return run


def check(run: Run, hosts: int, checks: Checks) -> float:
    said = {key: value for line in told(run) for key, value in line.items()}
    metrics = said.get("metrics") or {}
    devices = hosts * CHIPS_OF_A_HOST
    checks.expect("it ended in order", run.code == 0, run.report["ending"]["reason"] or run.code)
    checks.expect(
        "Ray saw the slice's chips", said.get("resources", {}).get("TPU") == devices, said.get("resources")
    )
    checks.expect("the loop's last report came back", metrics, metrics or said.get("error"))
    seen = [metrics.get(key) for key in ("devices", "local", "processes")]
    checks.expect("devices, of a host, processes", seen == [devices, CHIPS_OF_A_HOST, hosts], seen)
    processes = run.report["slice"]["processes"] if run.report["slice"] else 0
    checks.expect("records of every worker are merged", processes == hosts, processes)
    peaks = [device["peak"] for device in run.report["devices"]]
    checks.expect(
        "each device was used",
        len(peaks) == devices and all(peaks),
        f"peaks {min(peaks, default=0)} B to {max(peaks, default=0)} B",
    )
    print(f"  {len(run.report['programs'])} programs, {run.report['compile_seconds']:.1f} s of compiling")
    return float(metrics.get("loss", "nan"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, choices=list(SLICES), default=0)
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=int, default=900)
    arguments = parser.parse_args()
    checks, losses = Checks(), {}
    with environment(arguments.python, *PACKAGES) as python:
        for hosts in [arguments.hosts] if arguments.hosts else list(SLICES):
            print(f"JaxTrainer, {hosts} host{'s' if hosts > 1 else ''} of {SLICES[hosts][0]}:", flush=True)
            run = train(python, hosts, arguments.seconds, checks)
            losses[hosts] = check(run, hosts, checks)
            print("\n".join(log_lines(run)[-20:]) if checks.failed else f"  loss {losses[hosts]:.6f}")
    checks.finish()


if __name__ == "__main__":
    main()

"""Programs of the JAX ecosystem on a virtual v6e:2x2: what they print is what they print on any machine.

    python benchmarks/ecosystem_rehearsal.py [--python PYTHON] [name …]

Without --python an environment with the packages is made with uv and removed afterwards (about 3 GB; torch is
most of it). Where a package ships a program or a test of its own in its wheel, that is run, as it is; of the
others a few lines use what people use (benchmarks/programs). Exits 1 when something else comes out.
"""

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rehearsals import PROGRAMS, Checks, Run, environment, log_lines, rehearse_marked

JAX = ("jax==0.12.0.1", "jaxlib==0.12.0.1", "libtpu==0.0.52", "flax==0.12.12", "optax==0.2.8")
PACKAGES = (
    *JAX,
    "equinox==0.13.8",
    "diffrax==0.7.2",
    "optimistix==0.1.0",
    "lineax==0.1.1",
    "dm-haiku==0.0.17",
    "jraph==0.0.6.dev0",
    "distrax==0.1.9",
    "rlax==0.1.9",
    "keras==3.15.1",
    "numpyro==0.22.0",
    "blackjax==1.7.1",
    "grain==0.2.18",
    "mujoco-mjx==3.17.0",
    "torch==2.13.0",
)
SECONDS = 900
TEXT = "The quick brown fox jumps over the lazy dog. To be or not to be, that is the question.\n"


@dataclass(frozen=True)
class Program:
    """What is run: a file below the environment's site-packages, or one of ours; and what must be printed."""

    file: str
    expected: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def path(self, site: Path) -> Path:
        return site / self.file if "/" in self.file else PROGRAMS / self.file


SUM = 16 * sum(range(64))
SHIPPED = {
    "jraph basics": Program("jraph/examples/basic.py", (r"n_node=Array\(\[3, 7, 0, 0\]",)),
    "jraph karate club": Program("jraph/examples/zacharys_karate_club.py", (r"step 29 accuracy 0\.97",)),
    "jraph LSTM": Program("jraph/examples/lstm.py", (r"hidden=\(7, 128\)",)),
    "haiku transformer": Program(
        "examples/transformer/train.py",
        ("the rehearsal ends here, as asked: jit_update ran 60 times",),  # too big for values
        ("--dataset_path={text}", "--alsologtostderr"),
        ("--steps", "60"),
    ),
    "haiku's own test of attention": Program("haiku/_src/attention_test.py", (r"^\[0 err\] OK",)),
    "rlax's own test of v-trace": Program("rlax/_src/vtrace_test.py", (r"^\[0 err\] OK",)),
    "optax's own test of SAM": Program("optax/contrib/_sam_test.py", (r"^\[0 err\] OK",)),
    "distrax's own test of the normal": Program(
        "distrax/_src/distributions/normal_test.py", (r"^\[0 err\] OK",)
    ),
}
WRITTEN = {
    "keras": Program("keras_fit.py", ("learned: True the same after loading: True",)),
    "numpyro": Program("numpyro_nuts.py", ("intercept 0.5 slope 2.0", "the bound falls: True")),
    "blackjax": Program("blackjax_nuts.py", ("mean near 3: True",)),
    "equinox": Program("equinox_stack.py", ("the loss falls: True", "1/e 0.368 root of 2 1.414 half 0.5")),
    "mujoco": Program("mjx_fall.py", (r"height 0\.99",)),
    "grain": Program("grain_loader.py", (f"0 workers: {SUM}", f"2 workers: {SUM}")),
    "torch loader": Program("torch_loader.py", (f"fork: {SUM}", f"spawn: {SUM}", f"forkserver: {SUM}")),
}
ALL = SHIPPED | WRITTEN


def rehearse_program(python: Path, program: Program, text: Path) -> tuple[Run, list[str]]:
    """Run one; the site-packages folder is on the path for examples that import their own package of that name."""
    site = next((python.parent.parent / "lib").glob("python3*/site-packages"))
    arguments = [word.format(text=text) for word in program.arguments]
    command = ["env", f"PYTHONPATH={site}", str(python), str(program.path(site)), *arguments]
    return rehearse_marked("v6e:2x2", command, *program.options, "--timeout", str(SECONDS))


def check(name: str, program: Program, run: Run, left: list[str], checks: Checks) -> None:
    lines = log_lines(run)
    print(f"{name}: {run.wall_seconds:.0f} s, of which the TPU compiler {run.compiler_seconds():.0f} s")
    checks.expect("it ended in order", run.code == 0, run.report["ending"]["reason"] or run.code)
    for pattern in program.expected:
        found = next((line for line in lines if re.search(pattern, line)), "")
        checks.expect(f"prints {pattern}", found)
    checks.expect("one process has the slice", run.report["slice"]["processes"] == 1)
    checks.expect("nothing is left running", not left, left or "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default="")
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(ALL))
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(ALL):
        sys.exit(f"there is no program {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
    checks = Checks()
    with environment(arguments.python, *PACKAGES) as python, tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(TEXT * 400, encoding="utf-8")
        for name in arguments.names or ALL:
            check(name, ALL[name], *rehearse_program(python, ALL[name], text), checks)
    checks.finish()


if __name__ == "__main__":
    main()

"""From a paste to the job that compiles it: what ``submit`` and ``prove`` share."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.aot.events import OnEvent
    from tpuguru.frameworks.compiling import JobPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose launch, hardware and toolchain."""
    parser.add_argument("paste", help="script, command, YAML or launch JSON; - reads standard input")
    parser.add_argument("--slice", default="", metavar="NAME", help="v6e-256, tpu7x:4x4x4, 2xv5p-128, …")
    parser.add_argument("--toolchain", default="", metavar="SPEC", help="maxtext==0.2.5[,jax==X,libtpu==Y]")
    parser.add_argument("--variant", default="", metavar="NAME", help="which launch of a script with several")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def plan(arguments: argparse.Namespace, *, seconds: float) -> "JobPlan":
    """Read the paste and plan the job. UsageError for a framework that cannot be compiled."""
    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.frameworks.compiling import compiling  # noqa: PLC0415
    from tpuguru.frameworks.registry import require_launches  # noqa: PLC0415
    from tpuguru.launch.reader import read_paste_file  # noqa: PLC0415
    from tpuguru.report.check.choose import choose_launch  # noqa: PLC0415

    launch, _ = choose_launch(require_launches(read_paste_file(arguments.paste)), arguments.variant)
    side = compiling(launch.framework)
    if side is None:
        raise UsageError(
            f"a {launch.framework} launch cannot be compiled ahead of time yet",
            location=launch.location,
            help="tpuguru rehearse --slice … [--prove] -- COMMAND runs the program itself, on no TPU",
        )
    target = side.target(launch, arguments.slice)
    return side.plan(launch, target, arguments.toolchain or side.toolchain, seconds)


def listener(*, quiet: bool) -> "OnEvent":
    """Return a listener that says on stderr what a run does."""
    from tpuguru.aot.events import Event, in_words  # noqa: PLC0415
    from tpuguru.report.check.progress import Progress  # noqa: PLC0415

    say, said = Progress(quiet=quiet), set[str]()

    def listen(event: Event) -> None:
        words = in_words(event)
        if words and words not in said:  # a run that is waited for repeats its events
            said.add(words)
            say(words)

    return listen

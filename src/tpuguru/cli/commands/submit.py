"""``tpuguru submit``: compile a launch in the background."""

import argparse

from tpuguru.cli.commands import _launch_job

SUMMARY = "compile a launch in the background and print the id of its run"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    _launch_job.add_arguments(parser)
    parser.add_argument(
        "--until", choices=("resolve", "lower", "compile"), default="compile", help="how far to go"
    )
    parser.add_argument("--executor", choices=("local", "container"), default="local", help="where to run it")
    parser.add_argument("--llo", action="store_true", help="keep the compiler's low-level dumps too (capped)")
    parser.add_argument(
        "--wait", action="store_true", help="wait for the end, and exit 1 unless it succeeded"
    )
    parser.add_argument("--timeout", type=float, default=3600.0, metavar="SECONDS", help="wall-clock limit")


def run(arguments: argparse.Namespace) -> int:
    """Submit; with ``--wait`` the exit status says how the run ended."""
    from dataclasses import replace  # noqa: PLC0415

    from tpuguru.aot.background import submit  # noqa: PLC0415
    from tpuguru.aot.job import Dump, Step  # noqa: PLC0415
    from tpuguru.aot.runs import raise_if_tool_failed, wait  # noqa: PLC0415
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415

    job = replace(
        _launch_job.plan(arguments, seconds=arguments.timeout).job,
        until=Step(arguments.until),
        executor=arguments.executor,
        dump=Dump(llo=arguments.llo),
    )
    listen = _launch_job.listener(quiet=arguments.quiet)
    run_id = submit(job, on_event=listen)
    print(run_id, flush=True)
    if not arguments.wait:
        return ExitCode.CLEAN
    record = raise_if_tool_failed(wait(run_id, on_event=listen))
    return ExitCode.FINDINGS if record.failure else ExitCode.CLEAN

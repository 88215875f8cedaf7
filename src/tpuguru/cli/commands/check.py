"""Say what a launch will really do: does it parse, fit, do its settings act, which code does it run."""

import argparse

SUMMARY = "compile a launch for its slice without a TPU, and say what it will really do"
_FORMATS = ("text", "json", "markdown")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paste", help="script, command, YAML or launch JSON; - reads standard input")
    parser.add_argument("--slice", default="", metavar="NAME", help="v6e-256, tpu7x:4x4x4, 2xv5p-128, …")
    parser.add_argument("--toolchain", default="", metavar="SPEC", help="maxtext==0.2.5[,jax==X,libtpu==Y]")
    parser.add_argument(
        "--prove",
        choices=("none", "fast", "all"),
        default="fast",
        help="prove which settings do nothing (default: fast; all includes compiler flags)",
    )
    parser.add_argument("--what-if", action="store_true", help="try single changes that may make it fit")
    parser.add_argument("--force", action="store_true", help="compile although something critical was found")
    parser.add_argument("--variant", default="", metavar="NAME", help="which launch of a script with several")
    parser.add_argument(
        "--fail-on",
        choices=("critical", "warn", "info", "never"),
        default="critical",
        help="lowest severity that makes the exit status 1 (default: critical)",
    )
    parser.add_argument(
        "--timeout", type=float, default=3600.0, metavar="SECONDS", help="wall-clock limit of one compile"
    )
    parser.add_argument(
        "--output-format",
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(_FORMATS)}; may be repeated (default: text)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add_rehearsal(parser)


def _add_rehearsal(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "rehearsal", "runs your own program, without compiling ahead: for JAX and TorchTPU programs"
    )
    group.add_argument(
        "--rehearse", action="store_true", help="run the launch's command on a virtual slice (asks first)"
    )
    group.add_argument(
        "--yes", "--allow-code", action="store_true", help="do not ask before running the command"
    )
    group.add_argument("--processes", choices=["auto", "one", "per-host", "per-device"], default="auto")
    group.add_argument(
        "--steps", type=int, default=3, metavar="N", help="end after N steps (default 3; 0: its own)"
    )
    group.add_argument("--network", action="store_true", help="leave the program its network")


def run(arguments: argparse.Namespace) -> int:
    """Check and print."""
    from tpuguru.launch.reader import read_paste_file  # noqa: PLC0415
    from tpuguru.report.check.exit_status import exit_status  # noqa: PLC0415
    from tpuguru.report.check.options import CheckOptions, Prove  # noqa: PLC0415
    from tpuguru.report.check.output import outputs, write_report  # noqa: PLC0415
    from tpuguru.report.check.rehearsed.command import machine_variables  # noqa: PLC0415
    from tpuguru.report.check.run import check  # noqa: PLC0415

    chosen = outputs(arguments.output_format)
    options = CheckOptions(
        slice_name=arguments.slice,
        toolchain=arguments.toolchain,
        prove=Prove(arguments.prove),
        what_if=arguments.what_if,
        force=arguments.force,
        seconds=arguments.timeout,
        variant=arguments.variant,
        quiet=arguments.quiet,
        rehearse=arguments.rehearse,
        yes=arguments.yes,
        processes=arguments.processes,
        steps=arguments.steps,
        network=arguments.network,
    )
    given = machine_variables() if arguments.rehearse else None
    result = check(read_paste_file(arguments.paste, given=given), options)
    write_report(result.report, chosen)
    return exit_status(result, arguments.fail_on)

"""Run the user's own program, unmodified, on a TPU slice that is not there."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.slice.command import ProgramCommand
    from tpuguru.slice.rehearse import RehearsalRequest

SUMMARY = "run your own JAX or TorchTPU program on a virtual TPU slice (asks first)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, in groups as --help shows them."""
    _configure_slice(parser.add_argument_group("what runs where"))
    _configure_values(parser.add_argument_group("values"))
    _configure_bounds(parser.add_argument_group("bounds"))
    _configure_proof(parser.add_argument_group("proof of settings"))
    _configure_kept(parser.add_argument_group("kept rehearsals (nothing is run)"))
    parser.add_argument("--output-format", choices=["text", "json"], default="text")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- [NAME=VALUE …] COMMAND …")


def _configure_slice(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--slice", default="", metavar="NAME", help="v6e-16, tpu7x:2x2x1, 2xv6e-256 …")
    group.add_argument(
        "--processes",
        choices=["auto", "one", "per-host", "per-device"],
        default="auto",
        help="who owns the devices: one process, one a host, one a device",
    )
    group.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="set a variable for the program; with --prove it is one of the settings",
    )
    group.add_argument("--network", action="store_true", help="leave the program its network")
    group.add_argument("--yes", action="store_true", help="do not ask before running the command")


def _configure_values(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--values", choices=["auto", "never"], default="auto", help="compute small programs on the CPU"
    )
    group.add_argument(
        "--unknown",
        choices=["nan", "zero"],
        default="nan",
        help="what floats that are not known read as (zero: for programs that stop at NaN)",
    )
    group.add_argument(
        "--unknown-repeats",
        type=int,
        default=50,
        metavar="N",
        help="a loop that asked N times for a value that is not known is told what ends it",
    )


def _configure_bounds(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--steps", type=int, default=0, metavar="N", help="end after N steps")
    group.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="end it after this")
    group.add_argument(
        "--max-memory", type=float, default=0, metavar="GIB", help="end it above this much host memory"
    )
    group.add_argument(
        "--most-programs",
        type=int,
        default=4000,
        metavar="N",
        help="end it when a process compiled more than N different programs, or N/4 of one name",
    )
    group.add_argument(
        "--most-reads",
        type=int,
        default=10_000,
        metavar="N",
        help="end it when one run of a loop asked N times for a value that is not known",
    )
    group.add_argument(
        "--patience",
        type=float,
        default=60,
        metavar="SECONDS",
        help="ranks idle for so long while others wait for them are deadlocked",
    )


def _configure_proof(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--prove",
        nargs="?",
        const="fast",
        choices=["fast", "all"],
        help="run it again without each of its settings and tell which change what is compiled "
        "(all: compiler flags too, a compile each)",
    )
    group.add_argument(
        "--stop-at",
        default="",
        metavar="BYTES|NAME|end",
        help="end each run at the first program of more than so many bytes of StableHLO, or of this name "
        "(default: the one with the most arithmetic)",
    )
    group.add_argument("--budget", type=float, default=600, metavar="SECONDS", help="time for these runs")


def _configure_kept(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--list", action="store_true", help="list them")
    group.add_argument("--show", default="", metavar="ID", help="report one again")
    group.add_argument("--compare", nargs=2, default=[], metavar="ID", help="what differs between two")


def run(arguments: argparse.Namespace) -> int:
    """Ask, run, report; return the exit code."""
    from tpuguru.slice.compiler import require_platform  # noqa: PLC0415

    require_platform()  # before modules that only Linux has are imported
    from tpuguru.report.rehearsal.command import (  # noqa: PLC0415
        compare_command,
        list_command,
        rehearse_command,
        show_command,
    )

    if arguments.list:
        return list_command()
    if arguments.compare:
        return compare_command(*arguments.compare)
    if arguments.show:
        return show_command(arguments.show, arguments.output_format)
    command = _command(arguments)
    request = _request(arguments, command)
    if arguments.prove:
        return _prove(arguments, request, command)
    return rehearse_command(request, yes=arguments.yes, output_format=arguments.output_format)


def _prove(arguments: argparse.Namespace, request: "RehearsalRequest", command: "ProgramCommand") -> int:
    from tpuguru.report.proving.command import prove_command  # noqa: PLC0415
    from tpuguru.slice.proving.prove import ProofRequest  # noqa: PLC0415
    from tpuguru.slice.proving.written import with_inherited_flags  # noqa: PLC0415

    proof = ProofRequest(
        rehearsal=request,
        command=with_inherited_flags(command),
        seconds=arguments.budget,
        stop_at=arguments.stop_at,
        compile_flags=arguments.prove == "all",
    )
    return prove_command(proof, yes=arguments.yes, output_format=arguments.output_format)


def _command(arguments: argparse.Namespace) -> "ProgramCommand":
    from dataclasses import replace  # noqa: PLC0415

    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.slice.command import named_variables, split_command  # noqa: PLC0415

    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    command = split_command(words)
    if not command.program:
        raise UsageError("no command to run", help="tpuguru rehearse --slice v6e-16 -- python train.py …")
    return replace(command, variables=(*named_variables(arguments.env), *command.variables))


def _request(arguments: argparse.Namespace, command: "ProgramCommand") -> "RehearsalRequest":
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.slice.plan import Processes  # noqa: PLC0415
    from tpuguru.slice.rehearse import RehearsalRequest  # noqa: PLC0415
    from tpuguru.slice.settings import tpu_slice  # noqa: PLC0415

    if not arguments.slice:
        raise UsageError("which slice? --slice is missing", help="tpuguru rehearse --slice v6e-16 -- …")
    seconds = (arguments.timeout, arguments.patience, arguments.budget)
    if arguments.steps < 0 or arguments.max_memory < 0 or min(seconds) <= 0:
        raise UsageError("--steps, --timeout, --patience, --budget and --max-memory are positive numbers")
    if min(arguments.unknown_repeats, arguments.most_programs, arguments.most_reads) < 1:
        raise UsageError("--unknown-repeats, --most-programs and --most-reads are at least 1")
    return RehearsalRequest(
        command=command.words,
        variables=command.variables,
        slice=tpu_slice(arguments.slice),
        folder=Path.cwd(),
        processes=Processes(arguments.processes),
        steps=arguments.steps,
        values=arguments.values == "auto",
        network=arguments.network,
        seconds=arguments.timeout,
        patience_seconds=arguments.patience,
        unknown_zero=arguments.unknown == "zero",
        unknown_repeats=arguments.unknown_repeats,
        most_programs=arguments.most_programs,
        most_reads=arguments.most_reads,
        memory_bytes=int(arguments.max_memory * 2**30),
    )

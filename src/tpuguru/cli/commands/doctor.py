"""Judge a Relax launch script for time and memory, from its text alone: it is never run and never changed."""

import argparse

from tpuguru.cli.commands import lint

SUMMARY = "judge a Relax launch script: what costs time, what costs memory, what to change"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: those of lint, and what a script cannot say."""
    lint.configure(parser)
    parser.add_argument(
        "--model", default="", metavar="NAME", help="sizes of a known model when its file is missing"
    )
    parser.add_argument(
        "--host-memory", default="", metavar="SIZE", help="memory of a node, e.g. 1TiB, to judge host memory"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge, print the report, and return the exit code of lint."""
    from tpuguru.report.doctor.command import doctor_command  # noqa: PLC0415

    return doctor_command(lint.options(arguments), arguments.model, arguments.host_memory)

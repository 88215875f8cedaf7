"""tpuguru hardware: which chips are known, and what a slice name means."""

import argparse

from tpuguru.base.exit_codes import ExitCode

SUMMARY = "Lists the chips, or explains one chip or slice name: chips, devices, cores, hosts, memory, peaks."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", nargs="*", help="a chip (h20) or slice (tpu7x-128, v5p:4x4x4, 2xv6e-256)")
    parser.add_argument("--json", action="store_true", help="print the contract hardware/v1")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the explanation."""
    from tpuguru.report.hardware import chip_list, explain  # noqa: PLC0415

    if not arguments.name:
        print(chip_list(as_json=arguments.json), end="")
    else:
        print(explain(" ".join(arguments.name), as_json=arguments.json), end="")
    return ExitCode.CLEAN

"""Print a rule's page, offline."""

import argparse

SUMMARY = "print what a rule looks for, why, what it costs and how to fix it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("rule", help="a rule's name or id; `tpuguru rules` lists them")


def run(arguments: argparse.Namespace) -> int:
    """Print the page."""
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.report.rules.page import rule_text  # noqa: PLC0415
    from tpuguru.rules.catalog import find_project, load_catalog  # noqa: PLC0415

    print(rule_text(load_catalog(find_project(Path.cwd())).rule(arguments.rule)), end="")
    return 0

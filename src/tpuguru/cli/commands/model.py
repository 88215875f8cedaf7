"""tpuguru model: what a model configuration means."""

import argparse

from tpuguru.base.exit_codes import ExitCode

SUMMARY = "Reads a model configuration: parameters, KV bytes, sizes that divide it, nearest models, mappings."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "config",
        help="config.json, MaxText model YAML, script with MODEL_ARGS, - for stdin, or a model's name",
    )
    parser.add_argument("--json", action="store_true", help="print the contract model/v1")


def run(arguments: argparse.Namespace) -> int:
    """Print the report."""
    from tpuguru.report.model import explain_model  # noqa: PLC0415

    print(explain_model(arguments.config, as_json=arguments.json), end="")
    return ExitCode.CLEAN

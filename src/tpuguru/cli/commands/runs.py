"""``tpuguru runs list|cancel|remove``."""

import argparse
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.aot.store import RunRow

SUMMARY = "list the stored runs, cancel one that is going, or remove one"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the action and the run."""
    parser.add_argument("action", nargs="?", choices=("list", "cancel", "remove"), default="list")
    parser.add_argument(
        "run_id", nargs="?", default="", help="the run's id, or an unambiguous beginning of it"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Do the action."""
    from tpuguru.aot.runs import cancel, list_runs, remove_run  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    if arguments.action == "list":
        return _list(list_runs(), arguments.output_format)
    if not arguments.run_id:
        raise UsageError(f"runs {arguments.action} needs a run's id", help="tpuguru runs lists all")
    if arguments.action == "cancel":
        print(cancel(arguments.run_id))
    else:
        remove_run(arguments.run_id)
    return 0


def _list(rows: list["RunRow"], output_format: str) -> int:
    if output_format == "json":
        import msgspec  # noqa: PLC0415

        print(msgspec.json.format(msgspec.json.encode(rows), indent=1).decode())
        return 0
    for row in rows:
        state = f"{row.state} ({row.failure})" if row.failure else str(row.state)
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.changed))
        print(f"{row.run_id}  {changed}  {state:28}  {row.toolchain}  {row.topology}")
    return 0

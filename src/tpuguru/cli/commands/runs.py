"""``tpuguru runs list|cancel|remove``."""

import argparse
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.aot.store import RunRow
    from tpuguru.slice.stored import StoredRehearsal

SUMMARY = "list the stored runs and rehearsals, cancel a run that is going, or remove one"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the action and the run."""
    parser.add_argument("action", nargs="?", choices=("list", "cancel", "remove"), default="list")
    parser.add_argument(
        "run_id", nargs="?", default="", help="the run's id, or an unambiguous beginning of it"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Do the action."""
    from tpuguru.aot.runs import cancel, list_runs  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.slice.stored import stored_rehearsals  # noqa: PLC0415

    if arguments.action == "list":
        return _list(list_runs(), stored_rehearsals(), arguments.output_format)
    if not arguments.run_id:
        raise UsageError(f"runs {arguments.action} needs a run's id", help="tpuguru runs lists all")
    if arguments.action == "cancel":
        print(cancel(arguments.run_id))
    else:
        _remove(arguments.run_id)
    return 0


def _remove(run_id: str) -> None:
    """Remove a run or a rehearsal: only a rehearsal's id has dashes."""
    from tpuguru.aot.runs import remove_run  # noqa: PLC0415
    from tpuguru.slice.stored import remove_rehearsal  # noqa: PLC0415

    if "-" in run_id:
        remove_rehearsal(run_id)
    else:
        remove_run(run_id)


def _list(rows: list["RunRow"], rehearsals: list["StoredRehearsal"], output_format: str) -> int:
    if output_format == "json":
        import msgspec  # noqa: PLC0415

        print(msgspec.json.format(msgspec.json.encode([*rows, *rehearsals]), indent=1).decode())
        return 0
    for row in rows:
        state = f"{row.state} ({row.failure})" if row.failure else str(row.state)
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.changed))
        print(f"{row.run_id}  {changed}  {state:28}  {row.toolchain}  {row.topology}")
    for each in rehearsals:
        print(f"{each.run_id}  {_date(each.run_id)}  {f'rehearsal {each.state}':28}  {each.slice}")
    return 0


def _date(run_id: str) -> str:
    """Return the date and time that a rehearsal's id begins with, as people write them."""
    return time.strftime("%Y-%m-%d %H:%M", time.strptime(run_id[:15], "%Y%m%d-%H%M%S"))

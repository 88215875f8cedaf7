"""Read the resolution that a run kept."""

import json
from collections.abc import Mapping

from tpuguru.aot.record import FailureKind, RunRecord
from tpuguru.aot.runs import Resolution, raise_if_tool_failed
from tpuguru.base.errors import ToolFailureError


def resolution_of_run(record: RunRecord) -> Resolution:
    """Return the run's resolution or its rejection.

    ToolFailureError when the framework could not be asked.
    """
    failure = raise_if_tool_failed(record).failure
    if failure is not None and failure.kind is FailureKind.CONFIG_REJECTED and failure.phase == "resolve":
        return Resolution({}, {}, (), failure)
    try:
        kept = json.loads((record.folder / "config" / "resolved.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ToolFailureError(
            f"the resolved configuration of run {record.run_id} cannot be read: {error}",
            help=f"tpuguru runs remove {record.run_id}",
        ) from error
    groups = kept["groups"] if isinstance(kept["groups"], Mapping) else {}
    return Resolution(kept["config"], groups, tuple(kept["stated"]))

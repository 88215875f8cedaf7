"""Single changes that may make the launch fit, each tried by compiling again."""

from collections.abc import Iterable

from tpuguru.aot.job import AotJob
from tpuguru.aot.record import RunRecord, RunState
from tpuguru.aot.runs import run
from tpuguru.base.units import format_bytes
from tpuguru.frameworks.compiling import Change
from tpuguru.report.check.progress import Say
from tpuguru.report.contracts.check import WhatIfRecord
from tpuguru.report.contracts.common import Figure


def try_changes(
    job: AotJob, changes: Iterable[Change], limit_bytes: int | None, say: Say
) -> tuple[WhatIfRecord, ...]:
    """Compile the job with each change, one at a time, and return what came of it."""
    tried = []
    for change in changes:
        say(f"what if {change.text}?")
        record = run(change.applied(job))
        outcome = _outcome(change, record, limit_bytes)
        say(f"  {outcome.sentence}")
        tried.append(outcome)
    return tuple(tried)


def _outcome(change: Change, record: RunRecord, limit_bytes: int | None) -> WhatIfRecord:
    if record.state is RunState.SUCCEEDED and record.memory is not None:
        need = record.memory.fit_bytes
        of = f" of {format_bytes(limit_bytes)}" if limit_bytes else ""
        figure = Figure(need, "bytes", "compiler: memory statistics of the compiled step")
        return WhatIfRecord(
            change.text, "fits", f"fits, {format_bytes(need)}{of} per device", figure, record.run_id
        )
    kind = record.failure.kind.value if record.failure else record.state.value
    said = " ".join(record.failure.message.split())[:160] if record.failure else ""
    return WhatIfRecord(change.text, kind, f"{kind}: {said}", run_id=record.run_id)

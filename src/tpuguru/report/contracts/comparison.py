"""Contract ``comparison/v1``: whether «X is N % faster» stands, by two logs."""

import msgspec

from tpuguru.report.contracts.common import ToolRecord, tool_record
from tpuguru.telemetry.comparison import Comparison


class ChangeRecord(msgspec.Struct, frozen=True):
    """Something that differs between the logs; ``matters`` says why it makes the rates incomparable."""

    what: str
    before: str
    after: str
    matters: str = ""


class ComparisonReport(msgspec.Struct, frozen=True):
    """The verdict. ``ratio`` is speed after over before; ``noise`` the larger relative spread."""

    schema: str
    tool: ToolRecord
    standing: str
    quantity: str
    ratio: float | None
    noise: float | None
    changes: tuple[ChangeRecord, ...]
    reasons: tuple[str, ...]


def comparison_report(comparison: Comparison) -> ComparisonReport:
    """Convert a comparison."""
    return ComparisonReport(
        "tpuguru/comparison/v1",
        tool_record(),
        comparison.standing.value,
        comparison.quantity,
        comparison.ratio,
        comparison.noise,
        tuple(ChangeRecord(item.what, item.before, item.after, item.matters) for item in comparison.changes),
        comparison.reasons,
    )


CONTRACT = ("comparison.v1", ComparisonReport)

"""The contract ``findings/v1``, as it is."""

import msgspec

from tpuguru.report.contracts.findings import LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.outputs import View


def render(report: LintReport, _excerpts: Excerpts, _view: View) -> str:
    """Return the report as JSON text."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
